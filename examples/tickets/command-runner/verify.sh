#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import runner'

# Smoke test
python runner.py --help

# Unit tests, and the integration test that starts the command line
python -m pytest -q -p no:cacheprovider test_runner.py

# expect-fail: a command that does not exist is reported
! python runner.py no-such-command-here
