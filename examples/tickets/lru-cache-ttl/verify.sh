#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import ttlcache'

# Smoke test
python -c 'import ttlcache; help(ttlcache)' > /dev/null

# Unit and integration tests (the latter: a real clock)
python -m pytest -q -p no:cacheprovider test_ttlcache.py
