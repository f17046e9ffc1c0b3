"""Real scripts, broken in every way: no fault of the scanner's own, whatever they became.

`python -m tests.refute.scan.test_mutated_scripts SECONDS NUMBER` goes on longer, from example NUMBER.
"""

# ruff: noqa: E501 - vocabularies

import functools
import random
import sys
import time
from pathlib import Path
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from refute.scan.engine.analysis import analyse_within_limits
from refute.scan.rules import Language
from refute.scan.scanner import scan_files

ROOT: Final = Path(__file__).parents[3]
SHELL: Final = (
    b"$(", b")", b"`", b'"', b"'", b"$'\\x72'", b"${x:-", b"}", b"${!x}", b"${x[@]}", b"$((", b"))", b"[[", b"]]", b"{a,b}",
    b"<<E\n", b"\nE\n", b"<<-'E'\n", b"<<<", b"<(", b">(", b"|", b"|&", b"&&", b";;", b";&", b"\\\n", b"#", b"!", b"&", b"\n",
    b"if ", b"then\n", b"fi\n", b"for x in ", b"do\n", b"done\n", b"while ", b"case x in ", b"esac\n", b"f() {\n", b"function ",
    b"eval ", b"exec ", b"trap 'x' EXIT\n", b"source ", b". ", b"sh -c '", b"xargs ", b"env -S ", b"cd / && ", b"rm -rf /etc\n",
    b"export x=", b"declare -A a=(", b"read -r x <<< ", b"printf '%b' ", b"| base64 -d | sh\n", b"alias x=", b"set -- ", b"shift;",
    b"tmux new -d '", b"docker run x ", b"find . -exec ", b"awk '{system(", b"python3 -c '", b"make -f - ", b"npx -c '", b"coproc ",
)  # fmt: skip
PYTHON: Final = (
    b"(", b")", b"[", b"]", b"{", b"}", b"'", b'"""', b"f'{", b"}'", b"\\", b":", b"\n", b"\n    ", b"\n        ", b"#", b",",
    b" if x else ", b"lambda x: ", b"for x in y", b" := ", b"**", b"*", b"@", b"-> ", b"...", b"None", b"1e999", b"0x", b"b''",
    b"import os\n", b"from os import *\n", b"os.system('rm -rf /')\n", b"eval(", b"exec(", b"getattr(os, ", b"__import__('os')",
    b"subprocess.run(['", b"open('/etc/shadow')", b"''.join(", b".format(", b"% (", b"[::-1]", b"base64.b64decode(", b"chr(1+",
    b"class A(B):\n", b"def f(*a, **k):\n", b"try:\n", b"except* E:\n", b"match x:\n", b"case [*_]:\n", b"async def f():\n",
    b"await ", b"yield from ", b"global x\n", b"nonlocal x\n", b"del x\n", b"with open(x) as ", b"return\n", b"type X = int\n",
)  # fmt: skip
UNICODE: Final = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in ("\u202e", "\ufeff", "\u00a0", "\u2028", "\ud800", "\ue000", "\uf8ff", "ｒｍ", "é", "e\u0301", "\U0001f600", "\0", "\x1b[2J", "\r", "\x85")
)  # fmt: skip
BUILD: Final = ("Makefile", "noxfile.py", "conftest.py")


@functools.cache
def originals(language: Language) -> tuple[bytes, ...]:
    """Scripts of this repository; none of them was written for a test of the scanner."""
    folders = ("examples", "scripts", "deployments") if language is Language.SHELL else ("examples", "flows/batch")
    suffix = ".sh" if language is Language.SHELL else ".py"
    found = sorted(path for folder in folders for path in (ROOT / folder).rglob(f"*{suffix}"))
    return tuple(path.read_bytes()[:4_000] for path in found)


def mutate(language: Language, draw: random.Random) -> bytes:
    """A script with up to eight changes."""
    texts = originals(language)
    data = bytearray(draw.choice(texts))
    constructs = SHELL if language is Language.SHELL else PYTHON
    for _ in range(draw.randint(1, 8)):
        at, far = draw.randint(0, len(data)), draw.randint(0, len(data))
        start, end = min(at, far), min(max(at, far), min(at, far) + 80)
        match draw.randrange(8):
            case 0 if data:
                data[at % len(data)] ^= 1 << draw.randrange(8)
            case 1:
                del data[at:]
            case 2:
                del data[start:end]
            case 3:
                other = draw.choice(texts)
                begin = draw.randint(0, len(other))
                data[at:at] = other[begin : begin + draw.randint(1, 200)]
            case 4:
                data[at:at] = draw.choice(UNICODE)
            case 5:
                data[end:end] = data[start:end] * draw.randint(1, 3)
            case _:
                data[at:at] = b"".join(draw.choices(constructs, k=draw.randint(1, 4)))
    return bytes(data[:20_000])


def faults(data: bytes, language: Language) -> list[str]:
    """What the scanner says of itself."""
    found = analyse_within_limits("x", data, language).result()
    told = [finding.explanation for finding in found if finding.rule_id == "unanalysable"]
    return [text for text in told if "scanner failed" in text or "child process" in text]


def workspace(draw: random.Random) -> dict[str, bytes]:
    """A script that calls everything which configuration can name, with broken configuration."""
    calls = b"make all\nnox\npytest\n. lib.sh\nbash lib.sh\n./verify.sh\npip install -e .\n"
    files = {"verify.sh": mutate(Language.SHELL, draw) + b"\n" + calls, "lib.sh": mutate(Language.SHELL, draw)}
    seeds = {
        "Makefile": b"include x.mk\nA := $(shell rm -rf /)\nall: b ; echo $(A)\n\t@cat $< \\\n\t$@\nb:\n\t-rm -rf /etc\n",
    }  # fmt: skip
    for name in BUILD:
        data = bytearray(seeds.get(name) or mutate(Language.PYTHON, draw))
        for _ in range(draw.randint(0, 3)):
            at = draw.randint(0, len(data))
            data[at : at + draw.randint(0, 6)] = draw.choice((*SHELL, *UNICODE, b'"', b"[]", b"{}", b"=", b"1"))
        files[name] = bytes(data)
    return files


def check(draw: random.Random) -> None:
    """One example of each kind."""
    for language in (Language.SHELL, Language.PYTHON):
        data = mutate(language, draw)
        assert faults(data, language) == [], data
    files = workspace(draw)
    told = [finding.explanation for finding in scan_files(files, ["verify.sh"]).findings]
    assert [text for text in told if "scanner failed" in text] == [], files


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 2**64))
def test_a_mutated_script_never_breaks_the_scanner(number: int) -> None:
    check(random.Random(number))  # noqa: S311 - examples, no secret


if __name__ == "__main__":
    ends, example = time.monotonic() + float(sys.argv[1]), int(sys.argv[2])
    while time.monotonic() < ends:
        check(random.Random(example))  # noqa: S311 - examples, no secret
        example += 1
