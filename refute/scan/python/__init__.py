"""The Python half of the scanner: a walk over the syntax tree with symbolic values, and what calls do."""
