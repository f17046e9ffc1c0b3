#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import medians'

# Smoke test
python -c 'import medians; help(medians)' > /dev/null

# Unit and integration tests
python -m pytest -q -p no:cacheprovider test_medians.py
