#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"
export PYTHONPATH=.

# Imports
python -c 'import release_notes'

# Smoke test
python -c 'import release_notes; help(release_notes)' > /dev/null

# Unit and integration tests
python -m pytest -q -p no:cacheprovider tests
