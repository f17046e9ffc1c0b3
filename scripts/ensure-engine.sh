#!/usr/bin/env bash
# Makes sure that a container engine answers: uses the one that is there, else installs and starts Docker on
# Debian/Ubuntu as root, else says what to do and fails. Never stops or reconfigures an engine it found.
# Safe to run again and from several processes at once.
set -euo pipefail
. "$(dirname "$0")/keep-nothing.sh"

PATH=$PATH:/usr/sbin:/sbin  # a root shell made by plain `su` lacks them
readonly DATA_DIR=/var/lib/refute-engine
readonly LOG=$DATA_DIR/dockerd.log
readonly LOCK=$DATA_DIR/lock
readonly WAIT_S=${REFUTE_ENGINE_WAIT_S:-60}

say() { printf 'engine: %s\n' "$*" >&2; }
die() { say "$1"; shift; for line in "$@"; do say "  $line"; done; exit 1; }

# Without a docker client the socket is asked directly, so an engine of someone else is never overlooked.
answers() {
    if command -v docker >/dev/null 2>&1; then
        timeout 20 docker info --format '{{.ServerVersion}}' 2>/dev/null | grep -q '[0-9]'
    else
        python3 - <<'PY' 2>/dev/null
import os, socket, sys
host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
if not host.startswith("unix://"):
    sys.exit(1)
with socket.socket(socket.AF_UNIX) as s:
    s.settimeout(10)
    s.connect(host.removeprefix("unix://"))
    s.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
    sys.exit(b" 200 " not in s.recv(64))
PY
    fi
}

report() {
    local version=unknown
    command -v docker >/dev/null 2>&1 && version=$(docker version --format '{{.Server.Version}}' 2>/dev/null || true)
    say "${version:-unknown} answers${DOCKER_HOST:+ at $DOCKER_HOST}"
}

explain_other_system() {
    die "no container engine answers, and this script installs one only on Debian/Ubuntu as root." \
        "Do one of:" \
        "- start Docker (Linux: systemctl start docker; macOS, Windows: open Docker Desktop)" \
        "- Debian/Ubuntu: sudo scripts/ensure-engine.sh" \
        "- elsewhere: install Docker Engine 20.10 or newer with your system's package manager" \
        "- Podman: systemctl --user start podman.socket; export DOCKER_HOST=unix://\$XDG_RUNTIME_DIR/podman/podman.sock" \
        "then run this again."
}

install_packages() {
    local missing=()
    [ -x /usr/sbin/dockerd ] || [ -x /usr/bin/dockerd ] || missing+=(docker.io)
    # Debian's docker.io brings /usr/bin/docker; a client at /usr/local/bin stays as it is and comes first.
    # debootstrap makes the base image where no registry answers; iptables is only recommended, and unused here.
    [ -x /usr/sbin/debootstrap ] || missing+=(debootstrap)
    [ ${#missing[@]} -eq 0 ] && return
    say "installing ${missing[*]} (apt-get)"
    apt_get update || say "apt-get update failed in part; going on with the package lists that are there"
    apt_get install -y --no-install-recommends "${missing[@]}" \
        || die "apt-get install ${missing[*]} failed; log: $DATA_DIR/apt.log" "$(tail -n 5 "$DATA_DIR/apt.log")"
}

apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>"$DATA_DIR/apt.log" 2>&1; }

# Docker picks overlay2 only if the file system under its data can carry it; ask the kernel the same question.
overlay_works() {
    local dir
    mkdir -p /var/lib/docker
    dir=$(mktemp -d /var/lib/docker/.refute-overlay.XXXXXX)
    mkdir "$dir"/{lower,upper,work,merged}
    local ok=1
    if mount -t overlay overlay -o "lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work" "$dir/merged" 2>/dev/null; then
        umount "$dir/merged"
        ok=0
    fi
    rm -rf "$dir"
    return $ok
}

started_pid=

start_detached() {
    local driver=overlay2
    if ! overlay_works; then
        driver=vfs
        say "overlayfs cannot be mounted on /var/lib/docker: using the vfs storage driver (slower, more disk)"
    fi
    say "starting dockerd in the background (storage $driver, no bridge, no iptables; log $LOG)"
    (
        keep_nothing
        exec setsid nohup dockerd --iptables=false --ip6tables=false --bridge=none --storage-driver="$driver" \
            --pidfile=/var/run/docker.pid
    ) >>"$LOG" 2>&1 </dev/null &
    started_pid=$!
}

# By its own pidfile: a dockerd with another one serves another socket.
dockerd_runs() {
    local pid
    pid=$(cat /var/run/docker.pid 2>/dev/null) && grep -qsx dockerd "/proc/$pid/comm"
}

start_engine() {
    if [ -d /run/systemd/system ]; then
        say "starting docker.service"
        systemctl start docker || die "systemctl start docker failed" "$(journalctl -u docker -n 20 --no-pager 2>/dev/null)"
        return
    fi
    # The package may just have started one, or somebody else is starting one: it gets its chance first.
    for _ in $(seq 50); do
        dockerd_runs || break
        if answers; then return; fi
        sleep 0.3
    done
    if dockerd_runs; then
        die "a dockerd runs on this machine and does not answer; it is not ours to stop" \
            "Look at its log, stop it or set DOCKER_HOST to where it listens, then run this again."
    fi
    start_detached
}

wait_for_engine() {
    local deadline=$((SECONDS + WAIT_S))
    until answers; do
        if [ -n "$started_pid" ] && ! kill -0 "$started_pid" 2>/dev/null; then
            give_up "dockerd ended at once"
        fi
        [ $SECONDS -lt $deadline ] || give_up "the engine did not answer within $WAIT_S s"
        sleep 0.3
    done
}

give_up() {
    say "$1; last lines of $LOG:"
    tail -n 25 "$LOG" >&2 2>/dev/null || true
    exit 1
}

main() {
    if answers; then report; return; fi
    [ -z "${DOCKER_HOST:-}" ] || die "DOCKER_HOST=$DOCKER_HOST is set, and no engine answers there." \
        "Start that engine, or unset DOCKER_HOST to use this machine's own."
    [ "$(id -u)" -eq 0 ] && [ -r /etc/debian_version ] || explain_other_system
    mkdir -p "$DATA_DIR"
    exec 9>"$LOCK"
    flock -w 600 9 || die "another run has held $LOCK for 10 minutes; look at it, then run this again"
    if ! answers; then  # whoever held the lock before may have started it
        install_packages
        start_engine
        wait_for_engine
    fi
    report
}

main "$@"
