"""The shell half of the scanner: a walk over tree-sitter's tree with symbolic values, and what commands do."""
