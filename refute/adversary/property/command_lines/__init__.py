"""Tests for programs: what people write about command lines, as runs with arguments, standard input and files."""
