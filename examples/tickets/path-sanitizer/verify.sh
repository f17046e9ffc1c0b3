#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"
export PYTHONPATH=src

# Imports
python -c 'import uploads.paths'

# Smoke test
python -c 'from uploads.paths import safe_name; print(safe_name("smoke test.txt"))'

# Unit tests, and the integration test that writes a real file
python -m pytest -q -p no:cacheprovider tests
