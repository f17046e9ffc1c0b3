#!/usr/bin/env bash
# Verification script of @title@
#
# refute runs it with bash in a container: a throwaway copy of the workspace, no network, nothing of your environment,
# five minutes at most. Exit 0 means verified. The rules, each of which refute checks:
#   1. Imports are tested plainly: no try/except around them, no `|| true` behind them.
#   2. A smoke test starts the thing once, `--help` or the like.
#   3. Unit tests run, and integration tests run. Call nothing "integration" that replaces what it integrates by mocks.
#   4. Nothing is needed but the workspace: no home directory, no absolute path, no download, no earlier run.
#   5. Where something must fail, say so in the line before:  # expect-fail: <reason>
set -euo pipefail
cd "$(dirname "$0")@to_workspace@"
@path_setting@
# 1. Imports
@imports@

# 2. Smoke test
@smoke@

# 3. Unit and integration tests
@tests@

# 5. What must fail, for example:
#    # expect-fail: a negative limit is refused
#    ! python -m thing --limit -1
