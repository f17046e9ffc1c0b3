#!/usr/bin/env bash
# Verification of id-reconciliation.
set -euo pipefail

# Every module imports, without try/except around it.
python -c 'import reconcile'

# Smoke test.
python -c 'from reconcile import missing; assert missing([1, 2], [2]) == [1]'

# Unit tests.
python -m pytest -q -p no:cacheprovider test_reconcile.py
