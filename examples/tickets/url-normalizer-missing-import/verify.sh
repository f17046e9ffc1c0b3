#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import urlnorm'

# Smoke test
python -c 'import urlnorm; help(urlnorm)' > /dev/null

# Unit and integration tests
python -m pytest -q -p no:cacheprovider test_urlnorm.py
