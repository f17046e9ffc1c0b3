#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import expenses'

# Smoke test
python expenses.py --help

# Unit tests, and the integration test that starts the command line
python -m pytest -q -p no:cacheprovider test_expenses.py
