#!/usr/bin/env bash
# Resolves the locks again. Hashed, universal, and without a line that names an index (uv.lock would).
set -euo pipefail
cd "$(dirname "$0")/.."

compile() { .venv/bin/uv pip compile --quiet --upgrade --generate-hashes --no-header --no-annotate "$@"; }

compile pyproject.toml --extra dev --extra mcp --universal --python-version 3.11 -o .venv/requirements.lock.new
{
    echo '# Runtime and development, with hashes, made by `make lock` from pyproject.toml. One file on purpose: `make'
    echo '# test` on a fresh machine needs both, and two files could resolve to two different sets of versions.'
    cat .venv/requirements.lock.new
} >requirements.lock

# Inside the image: wheels only, nothing is ever built there. Linux, whatever this machine runs.
compile deployments/sandbox/requirements.in --only-binary :all: --python-platform linux --python-version 3.11 \
    -o .venv/sandbox.lock.new
{
    echo '# What the sandbox image carries beside Python, made by `make lock` from requirements.in.'
    cat .venv/sandbox.lock.new
} >deployments/sandbox/requirements.lock

# What critics run in the sandbox, in a layer of its own.
compile deployments/critics/requirements.in --only-binary :all: --python-platform linux --python-version 3.11 \
    -o .venv/critics.lock.new
{
    echo '# What critics run in the sandbox, made by `make lock` from requirements.in.'
    cat .venv/critics.lock.new
} >deployments/critics/requirements.lock
