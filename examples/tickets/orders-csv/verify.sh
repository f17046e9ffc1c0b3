#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

# Imports
python -c 'import orders'

# Smoke test
python -c 'import orders; help(orders)' > /dev/null

# Unit tests, and the integration test that reads a real file
python -m pytest -q -p no:cacheprovider test_orders.py
