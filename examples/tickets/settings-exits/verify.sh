#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import appsettings'

# Smoke test
python -c 'import appsettings; help(appsettings)' > /dev/null

# Unit and integration tests (the latter: a real file)
python -m pytest -q -p no:cacheprovider test_appsettings.py
