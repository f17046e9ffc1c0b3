"""All behaviours, in groups that can run beside each other: read from the text files of this folder.

A behaviour begins with `% name | language | what it does`; `python with control` puts a part before the program.
Lines from `= ` say, as TOML, what else `Behaviour` asks for (`["x", 9]` is a text of nine); the rest is the program.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.hostile.behaviour import Behaviour

PARTS = {
    "connect": """\
import socket
def connect(family, address):
    with socket.socket(family) as attempted:
        attempted.settimeout(3)
        attempted.connect(address)
""",
    "control": """\
import fcntl, struct
def control(descriptor, number, argument=bytes(256)):
    try:
        fcntl.ioctl(descriptor, number, argument)
    except OSError as error:
        print(name(error.errno), flush=True)
    else:
        print("allowed", flush=True)
""",
    "hoard": """\
import time
def hoard(take, processes=15):
    for _ in range(processes):
        if os.fork() == 0:
            held = []
            try:
                while True:
                    held.append(take())
            except OSError:
                pass
            time.sleep(600)
    time.sleep(1)
    print("held", flush=True)
""",
}


def behaviours(file: str) -> tuple[Behaviour, ...]:
    """Those of a text file of this folder."""
    text = Path(__file__).with_name(f"{file}.txt").read_text(encoding="utf-8")
    return tuple(map(_behaviour, text.split("\n\n% ")[1:]))


def _behaviour(text: str) -> Behaviour:
    head, *lines = text.strip("\n").split("\n")
    name, language, does = head.split(" | ", 2)
    language, _, part = language.partition(" with ")
    facts = " ".join(line[2:] for line in lines if line.startswith("= "))
    program = "\n".join(line for line in lines if not line.startswith("= "))
    read: dict[str, Any] = tomllib.loads(f"facts = {{{facts}}}")["facts"]
    fields = {key: tuple(map(_text, value)) if isinstance(value, list) else value for key, value in read.items()}
    if "collects" in fields:
        fields["collects"] = {path: _text(content).encode() for path, content in fields["collects"].items()}
    return Behaviour(name=name, does=does, **{language: PARTS.get(part, "") + program}, **fields)


def _text(value: str | list[Any]) -> str:
    return value if isinstance(value, str) else value[0] * value[1]


GROUPS: Mapping[str, tuple[Behaviour, ...]] = {
    "Processes, signals, scheduling": behaviours("processes"),
    "Memory, file systems, output": behaviours("storage"),
    "Memory that the kernel holds": behaviours("hoards"),
    "System calls": behaviours("kernel"),
    "Controls, options, attributes": behaviours("interfaces"),
    "The host": behaviours("host"),
    "Network": behaviours("network"),
    "Reading back, canary files": behaviours("reading_back"),
    "Odd corners": behaviours("corners"),
    "Lies": behaviours("lies"),
}
"""Heading → behaviours."""
