#!/usr/bin/env bash
# Builds the worker image from what is committed, and prints its ID.
#
#   scripts/worker-image.sh [TAG]        default: refute-worker:latest
#
# The base is $REFUTE_WORKER_BASE where set, else the official Python image where a registry answers, else one made by
# debootstrap (root, Debian/Ubuntu; about a minute and a half, once). Wheels are fetched here, by pip as it is configured
# on this machine, and checked against requirements.lock; the build has no need of a package index.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly TAG=${1:-refute-worker:latest}
readonly OFFICIAL=python:3.11-slim-bookworm OWN=refute-worker-base:bookworm
WORK=$(mktemp -d "${TMPDIR:-/tmp}/refute-worker.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

say() { printf 'worker image: %s\n' "$*" >&2; }
die() { say "$1"; shift; for line in "$@"; do say "  $line"; done; exit 1; }

there() { docker image inspect "$1" >/dev/null 2>&1; }

make_base() {
    local program root
    program=$(command -v debootstrap || ls /usr/sbin/debootstrap 2>/dev/null || true)
    [ "$(id -u)" -eq 0 ] && [ -n "$program" ] || die "no registry answers, and debootstrap needs root and to be installed" \
        "As root on Debian/Ubuntu: apt-get install debootstrap. Or name a base with Python 3.11 in REFUTE_WORKER_BASE."
    say "no registry answers; making a base with debootstrap"
    root=$WORK/root
    "$program" --variant=minbase --include=python3,python3-venv,ca-certificates,git bookworm "$root" $(mirror) \
        >"$WORK/debootstrap.log" 2>&1 || die "debootstrap failed" "$(tail -n 5 "$WORK/debootstrap.log")"
    umount -l "$root/proc" "$root/sys" 2>/dev/null || true
    tar -C "$root" --one-file-system --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' \
        --exclude='./var/cache/*' --exclude='./var/lib/apt/*' -c . | docker import - "$OWN" >/dev/null
}

# The mirror that this machine's apt is configured with.
mirror() { apt-get indextargets --format '$(ORIGIN)|$(SITE)' 'Created-By: Packages' | sed -n 's/^Debian|//p' | head -n 1; }

choose_base() {
    if [ -n "${REFUTE_WORKER_BASE:-}" ]; then echo "$REFUTE_WORKER_BASE"; return; fi
    if there "$OFFICIAL" || docker pull -q "$OFFICIAL" >/dev/null 2>&1; then echo "$OFFICIAL"; return; fi
    there "$OWN" || make_base
    echo "$OWN"
}

fill_context() {
    git archive --format=tar HEAD | tar -x -C "$WORK/context"
    rm -rf "$WORK/context/tests"
    say "fetching the locked wheels"
    .venv/bin/python -m pip download -qq --no-deps --only-binary :all: --require-hashes -r requirements.lock \
        -d "$WORK/context/wheels" || die "the wheels could not be fetched; pip's message is above"
}

main() {
    local base
    scripts/setup.sh
    mkdir "$WORK/context"
    base=$(choose_base)
    fill_context
    say "building $TAG on $base"
    docker build -q --network "${REFUTE_BUILD_NETWORK:-default}" --build-arg "BASE=$base" \
        -f deployments/worker/Dockerfile -t "$TAG" "$WORK/context"
}

main
