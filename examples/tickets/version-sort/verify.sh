#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import versions'

# Smoke test
python -c 'import versions; help(versions)' > /dev/null

# Unit and integration tests
python -m pytest -q -p no:cacheprovider test_versions.py
