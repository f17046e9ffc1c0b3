#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import ratelimit'

# Smoke test
python -c 'import ratelimit; help(ratelimit)' > /dev/null

# Unit and integration tests (the latter: real threads)
python -m pytest -q -p no:cacheprovider test_ratelimit.py
