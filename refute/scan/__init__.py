"""The safety scanner: what a script or test file would do, judged from its text alone, failing closed."""
