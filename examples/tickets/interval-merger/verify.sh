#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import intervals'

# Smoke test
python -c 'import intervals; help(intervals)' > /dev/null

# Unit tests; the integration test is the one that combines gaps() with merge()
python -m pytest -q -p no:cacheprovider test_intervals.py
