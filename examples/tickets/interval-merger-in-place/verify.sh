#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import booking'

# Smoke test
python -c 'import booking; help(booking)' > /dev/null

# Unit tests and integration tests
python -m pytest -q -p no:cacheprovider test_booking.py
