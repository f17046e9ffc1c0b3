"""One file per command of the `refute` command line; `flows/cli.py` loads them only when they are called."""
