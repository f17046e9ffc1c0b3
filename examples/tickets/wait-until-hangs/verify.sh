#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import waiting'

# Smoke test
python -c 'import waiting; help(waiting)' > /dev/null

# Unit tests, and the integration test with a real thread
python -m pytest -q -p no:cacheprovider test_waiting.py
