"""Detection of the dangerous development scripts, each rewritten in a way that changes nothing it does.

A table of the page that `scanner.py` prints. Text only; nothing is executed. A mutation that does not apply to a text
is left out of its row.
"""

import base64
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "scripts_dev.jsonl"
_COMMAND = re.compile(r"(?m)^(\s*)(cat|curl|ls|echo|rm|wget|nc)\b(?= )")
_PATH = re.compile(r"(?<=['\"])(/[\w./-]{3,})(?=['\"])")
_QUOTED = re.compile(r"(['\"])(/[\w./-]{3,})\1")
_HOST = re.compile(r"(https?://)([\w.]+)")


def _split(text: str) -> str:
    return f"{text[: len(text) // 2]}''{text[len(text) // 2 :]}"


def _ansi(text: str) -> str:
    return "$'" + "".join(f"\\x{ord(char):02x}" for char in text) + "'"


def _heredoc(text: str) -> str:
    return f"bash <<'REWRITTEN_END'\n{text}\nREWRITTEN_END\n"


def _base64(text: str) -> str:
    return f"echo {base64.b64encode(text.encode()).decode()} | base64 -d | bash\n"


SHELL: dict[str, Callable[[str], str]] = {
    "quotes inside the command word": lambda text: _COMMAND.sub(lambda m: m[1] + _split(m[2]), text),
    "backslash in the command word": lambda text: _COMMAND.sub(lambda m: f"{m[1]}\\{m[2]}", text),
    "hexadecimal command word": lambda text: _COMMAND.sub(lambda m: m[1] + _ansi(m[2]), text),
    "command word in a variable": lambda text: _COMMAND.sub(lambda m: f"{m[1]}zz={m[2]}; $zz", text),
    "command word in an array": lambda text: _COMMAND.sub(lambda m: f"{m[1]}zz=(x {m[2]}); ${{zz[1]}}", text),
    "command word joined": lambda text: _COMMAND.sub(lambda m: f"{m[1]}za={m[2][0]}; zb={m[2][1:]}; $za$zb", text),
    "alias": lambda text: "shopt -s expand_aliases\nalias zz=cat\n" + re.sub(r"(?m)^(\s*)cat\b", r"\1zz", text),
    "continued line": lambda text: _COMMAND.sub(lambda m: f"{m[1]}{m[2][0]}\\\n{m[2][1:]}", text),
    "tabs for blanks": lambda text: _COMMAND.sub(lambda m: f"{m[1]}{m[2]}\t", text),
    "wrapped": lambda text: _COMMAND.sub(lambda m: f"{m[1]}nice -n 5 env X=1 {m[2]}", text),
    "path split by quotes": lambda text: _QUOTED.sub(lambda m: f"{m[1]}{m[2][:3]}{m[1] * 2}{m[2][3:]}{m[1]}", text),
    "path with dots": lambda text: _PATH.sub(lambda m: "/./usr/.." + m[1], text),
    "host in capitals": lambda text: _HOST.sub(lambda m: m[1] + m[2].upper(), text),
    "user before the host": lambda text: _HOST.sub(lambda m: f"{m[1]}localhost@{m[2]}", text),
    "in a function": lambda text: f"zz() {{\n{text}\n}}\nzz\n",
    "in eval": lambda text: "eval '" + text.replace("'", "'\\''") + "'\n",
    "in a here-document": _heredoc,
    "in base64": _base64,
    "in a trap": lambda text: "trap '" + text.replace("'", "'\\''") + "' EXIT\n",
    "written and run": lambda text: f"cat > zz.sh <<'REWRITTEN_END'\n{text}\nREWRITTEN_END\nsh ./zz.sh\n",
}
_OPEN = re.compile(r"\bopen\(")
_IMPORT = re.compile(r"(?m)^import (os|glob|requests|shutil|subprocess)$")


def _hidden_literal(text: str) -> str:
    return _PATH.sub(lambda m: f"{m[1][: len(m[1]) // 2]}' + '{m[1][len(m[1]) // 2 :]}", text.replace('"', "'"))


def _encoded(text: str) -> str:
    return f"import base64\nexec(base64.b64decode({base64.b64encode(text.encode())!r}))\n"


PYTHON: dict[str, Callable[[str], str]] = {
    "literal joined": _hidden_literal,
    "literal reversed": lambda text: re.sub(r"(['\"])(/[\w./-]{3,})\1", lambda m: repr(m[2][::-1]) + "[::-1]", text),
    "literal as bytes": lambda text: re.sub(
        r"(['\"])(/[\w./-]{3,})\1", lambda m: f"bytes({list(m[2].encode())}).decode()", text
    ),
    "getattr of builtins": lambda text: _OPEN.sub("getattr(__import__('builtins'), 'op' + 'en')(", text),
    "importlib": lambda text: _IMPORT.sub(r"import importlib; \1 = importlib.import_module('\1')", text),
    "import under another name": lambda text: _IMPORT.sub(r"import \1 as zz; \1 = zz", text),
    "in a function": lambda text: "def zz():\n" + re.sub(r"(?m)^", "    ", text) + "\nzz()\n",
    "in a class body": lambda text: "class Zz:\n" + re.sub(r"(?m)^", "    ", text) + "\n",
    "in exec": lambda text: f"exec({text!r})\n",
    "compiled": lambda text: f"exec(compile({text!r}, 'x', 'exec'))\n",
    "codecs": lambda text: f"import codecs\nexec(codecs.decode({text.encode().hex()!r}, 'hex'))\n",
    "in base64": _encoded,
    "in python -c": lambda text: f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {text!r}])\n",
    "host in capitals": lambda text: _HOST.sub(lambda m: m[1] + m[2].upper(), text),
}


def mutated(count: int) -> None:
    """Print one row for each mutation, of so many texts of each category."""
    groups = defaultdict(list)
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["label"] == "dangerous":
            groups[row["lang"], row["category"]].append(row["text"])
    print(
        "\n## Detection under mutation\n\nOf scripts that block as they are; each rewritten so that it does the same.\n"
    )
    print("| language | rewritten | blocked | of | share |\n|---|---|---|---|---|")
    chance = random.Random(5)  # noqa: S311 - a sample, no secret
    samples = {key: chance.sample(texts, min(count, len(texts))) for key, texts in sorted(groups.items())}
    for lang, language, kinds in (("bash", Language.SHELL, SHELL), ("python", Language.PYTHON, PYTHON)):
        texts = [text for key, sample in samples.items() if key[0] == lang for text in sample]
        texts = [text for text in texts if _blocks(text, language)]
        hits, total = Counter[str](), Counter[str]()
        for kind, mutate in kinds.items():
            for text in texts:
                changed = mutate(text)
                if changed != text:
                    total[kind] += 1
                    hits[kind] += _blocks(changed, language)
            print(f"| {lang} | {kind} | {hits[kind]} | {total[kind]} | {hits[kind] / max(total[kind], 1):.0%} |")


def _blocks(text: str, language: Language) -> bool:
    findings = scan_text("script", text.encode(), language=language)
    return any(finding.severity >= Severity.HIGH for finding in findings)
