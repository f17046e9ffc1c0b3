#!/usr/bin/env bash
# Makes .venv from requirements.lock (hashes checked) and puts this checkout on its path. Running it again
# is quick and changes nothing; two runs at once wait for each other.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VENV=.venv
readonly STAMP=$VENV/.installed
say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# PYTHON=… chooses another interpreter. The distribution's own comes first: it is built with profile-guided
# optimisation, which a pyenv build by default is not (measured: half the speed, so 5 s instead of 2 s to import Prefect).
find_python() {
    local candidate
    for candidate in ${PYTHON:-} /usr/bin/python3.11 python3.11 python3.12 python3.13 python3; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    die "Python 3.11 or newer is needed, found $(python3 --version 2>&1 || true). Debian/Ubuntu: apt-get install python3.11"
}

# Debian ships ensurepip apart from Python, in python3-venv.
make_venv() {
    local python=$1
    say "making $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV" >/dev/null 2>&1 && return
    local version
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null \
        || die "'$python -m venv' failed: install python$version-venv (Debian/Ubuntu) or your system's equivalent"
    say "installing python$version-venv (apt-get)"
    { apt-get -qq update || true; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y "python$version-venv"; } >/dev/null 2>&1
    "$python" -m venv --clear "$VENV" || die "'$python -m venv' still fails; its message is above"
}

# uv itself comes from the lock, by hash, through pip.
bootstrap_uv() {
    awk '/^uv==/ {on=1} on {print} on && !/\\$/ {exit}' requirements.lock >"$VENV/uv.lock.txt"
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r "$VENV/uv.lock.txt" \
        || die "could not install uv; pip's message is above (is a package index reachable?)"
}

install_locked() {
    say "installing requirements.lock"
    # uv does not read pip's configuration; where only pip knows the way to an index, pip installs.
    VIRTUAL_ENV=$PWD/$VENV "$VENV/bin/uv" pip sync -q --compile-bytecode --require-hashes requirements.lock && return
    say "uv could not; trying pip, which may be configured for another index"
    "$VENV/bin/python" -m pip install -q --require-hashes -r requirements.lock \
        || die "neither uv nor pip could install requirements.lock; their messages are above"
}

main() {
    local python wanted
    exec 9>.venv.lock
    flock 9
    wanted=$(cat requirements.lock pyproject.toml | sha256sum)
    if [ -x "$VENV/bin/refute" ] && [ "$(cat "$STAMP" 2>/dev/null)" = "$wanted" ]; then
        touch "$STAMP"
        return
    fi
    if [ ! -x "$VENV/bin/uv" ]; then
        python=$(find_python)
        make_venv "$python"
        bootstrap_uv
    fi
    install_locked
    # Everything that the build needs is in the lock, so nothing unlocked is fetched here.
    VIRTUAL_ENV=$PWD/$VENV "$VENV/bin/uv" pip install -q --no-deps --no-build-isolation -e .
    printf '%s\n' "$wanted" >"$STAMP"
    say "ready: $VENV/bin/refute"
}

main "$@"
