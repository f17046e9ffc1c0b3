#!/usr/bin/env bash
# Makes sure that a PostgreSQL of this checkout's own answers, and prints its URL for SQLAlchemy on stdout.
#
#   scripts/ensure-postgres.sh         start it where it does not run yet
#   scripts/ensure-postgres.sh stop    end what this script started
#
# It serves tests and trials on one machine: no network (a unix socket in a directory that only its user may enter, so
# nobody needs a password), and no fsync, so a power failure may cost its data. Its data lies in a directory of its own:
# a cluster that is already on the machine is never touched, nor is one made by installing Debian's package.
# Safe to run again and from several processes at once. REFUTE_POSTGRES_DIR chooses the directory.
set -euo pipefail
. "$(dirname "$0")/keep-nothing.sh"

readonly USER_OF_CLUSTER=postgres  # made by Debian's package; only where we are root, which PostgreSQL refuses to be
readonly WAIT_S=${REFUTE_POSTGRES_WAIT_S:-60}

say() { printf 'postgres: %s\n' "$*" >&2; }
die() { say "$1"; shift; for line in "$@"; do say "  $line"; done; exit 1; }

is_root() { [ "$(id -u)" -eq 0 ]; }

as_owner() {
    if is_root; then runuser -u "$USER_OF_CLUSTER" -- "$@"; else "$@"; fi
}

default_directory() {
    if is_root; then echo /var/lib/refute-postgres; else echo "${XDG_STATE_HOME:-$HOME/.local/state}/refute-postgres"; fi
}

DIR=${REFUTE_POSTGRES_DIR:-$(default_directory)}
readonly DIR DATA=$DIR/data SOCKETS=$DIR/run LOG=$DIR/log/server.log

# The newest server on the machine; Debian keeps the programs off the path.
find_programs() {
    local newest
    newest=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
    if [ -n "$newest" ] && [ -x "$newest/initdb" ]; then echo "$newest"; return; fi
    newest=$(command -v initdb || true)
    [ -z "$newest" ] || dirname "$newest"
}

apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>"$DIR/apt.log" 2>&1; }

install_packages() {
    is_root && [ -r /etc/debian_version ] || die \
        "no PostgreSQL server is installed, and this script installs one only on Debian/Ubuntu as root." \
        "Install PostgreSQL 14.9 or newer with your system's package manager, then run this again."
    say "installing postgresql (apt-get)"
    apt_get update || say "apt-get update failed in part; going on with the package lists that are there"
    local options=()
    if ! dpkg -s postgresql-common >/dev/null 2>&1; then
        # Debian's package would make and start a cluster of its own on port 5432; nobody asked for one.
        mkdir -p /etc/postgresql-common
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
        options=(-o Dpkg::Options::=--force-confold)
    fi
    apt_get install -y --no-install-recommends "${options[@]}" postgresql \
        || die "apt-get install postgresql failed; log: $DIR/apt.log" "$(tail -n 5 "$DIR/apt.log")"
}

answers() { as_owner "$BIN/pg_isready" -q -h "$SOCKETS" -d postgres 2>/dev/null; }

make_cluster() {
    [ -f "$DATA/PG_VERSION" ] && return
    say "making a cluster in $DATA"
    as_owner "$BIN/initdb" -D "$DATA" -U refute --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync \
        >"$DIR/initdb.log" 2>&1 || die "initdb failed; log: $DIR/initdb.log" "$(tail -n 5 "$DIR/initdb.log")"
}

start_cluster() {
    say "starting PostgreSQL in the background (socket in $SOCKETS, log $LOG)"
    (
        keep_nothing
        as_owner "$BIN/pg_ctl" -D "$DATA" -l "$LOG" -t "$WAIT_S" -w -s start \
            -o "-c listen_addresses= -k '$SOCKETS' -c fsync=off -c full_page_writes=off -c max_connections=200"
    ) </dev/null >/dev/null || give_up "PostgreSQL did not start within $WAIT_S s"
}

give_up() {
    say "$1; last lines of $LOG:"
    tail -n 25 "$LOG" 2>/dev/null >&2 || true
    exit 1
}

make_directories() {
    mkdir -p "$DIR" "$SOCKETS" "$DIR/log"
    [ "${#SOCKETS}" -le 90 ] || die "$SOCKETS is too long for a unix socket, at most 90 characters" \
        "Set REFUTE_POSTGRES_DIR to a shorter one."
}

# Not even the names of its databases are for others.
give_to_owner() {
    chmod 700 "$SOCKETS" "$DIR/log"
    if is_root; then
        mkdir -p "$DATA"
        chown "$USER_OF_CLUSTER" "$DATA" "$SOCKETS" "$DIR/log"
        chmod 755 "$DIR"
    fi
}

url() { printf 'postgresql+psycopg://refute@/postgres?host=%s\n' "$SOCKETS"; }

stop() {
    [ -n "$BIN" ] && [ -f "$DATA/postmaster.pid" ] || { say "none of ours runs"; return; }
    as_owner "$BIN/pg_ctl" -D "$DATA" -m fast -w -s stop || die "PostgreSQL of $DATA did not stop; log: $LOG"
    say "stopped"
}

main() {
    make_directories
    exec 9>"$DIR/lock"
    flock -w 600 9 || die "another run has held $DIR/lock for 10 minutes; look at it, then run this again"
    BIN=$(find_programs)
    case "${1:-}" in
        stop) stop; return ;;
        "") ;;
        *) die "got '$1', expected nothing or 'stop'" ;;
    esac
    if [ -z "$BIN" ]; then
        install_packages
        BIN=$(find_programs)
        [ -n "$BIN" ] || die "postgresql is installed, but there is no initdb in /usr/lib/postgresql"
    fi
    give_to_owner
    if ! answers; then
        make_cluster
        start_cluster
    fi
    url
}

main "$@"
