#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import throttle'

# Smoke test
python -c 'import throttle; help(throttle)' > /dev/null

# Unit and integration tests
python -m pytest -q -p no:cacheprovider test_throttle.py
