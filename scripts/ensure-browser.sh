#!/usr/bin/env bash
# Makes sure that a Chromium for the browser tests is there: uses the one it finds, else installs Debian's as root.
# Safe to run again.
set -euo pipefail

say() { printf 'browser: %s\n' "$*" >&2; }

for program in chromium chromium-browser google-chrome; do
    if command -v "$program" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" -ne 0 ] || [ ! -r /etc/debian_version ]; then
    say "no Chromium is installed, and this script installs one only on Debian/Ubuntu as root."
    say "  Install Chromium with your system's package manager, then run this again."
    exit 1
fi
say "installing chromium (apt-get)"
log=$(mktemp)
{
    apt-get -qq update || say "apt-get update failed in part; going on with the package lists that are there"
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core
} >"$log" 2>&1 || { say "apt-get install chromium failed; log: $log"; tail -n 5 "$log" >&2; exit 1; }
rm -f "$log"
