"""Writes docs/licences.md: every package of requirements.lock with the licence that its own metadata names.

`.venv/bin/python scripts/licences.py` writes the page; a licence that nobody has judged yet ends it with an error.
"""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK, PAGE = ROOT / "requirements.lock", ROOT / "docs" / "licences.md"
SPDX = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD 3-Clause": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
    "Artistic License": "Artistic-1.0-Perl",
    "GNU General Public License (GPL)": "GPL-2.0-or-later",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
}
"""Classifier → identifier."""
PERMISSIVE = {
    *("MIT", "MIT-0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "ISC", "PSF-2.0", "Zlib", "CC0-1.0"),
    *("CNRI-Python", "Artistic-1.0-Perl", "MIT-CMU", "HPND"),
}
BY_FILE = {
    "MPL-2.0": "its own files stay under it",
    "MPL-1.1": "its own files stay under it",
    "LGPL-3.0-only": "used as a library, unchanged and replaceable",
}
"""Compatible, with the condition."""
HEAD = """# Licences of what refute is built on

refute itself is under the [Apache License 2.0](../LICENSE). Written by `scripts/licences.py` from `requirements.lock`
and each package's own metadata; where a package offers several licences (`OR`), the first compatible one is taken.
All are compatible with Apache-2.0: permissive, or with the condition named. What `make lock` resolves for other systems
only is marked; look before shipping it there. Packages for development are among them.

| package | version | licence | condition |
|---|---|---|---|
"""


def locked() -> list[tuple[str, str]]:
    """Name and version of every package of the lock."""
    return re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", LOCK.read_text(), re.MULTILINE)


def licence_of(name: str) -> str | None:
    """As an SPDX expression; None where the package is not installed on this system."""
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    if expression := told.get("License-Expression"):
        return expression
    named = [one.split(" :: ")[-1] for one in told.get_all("Classifier") or () if one.startswith("License :: ")]
    known = [SPDX.get(one, one) for one in named if one != "OSI Approved"] or [
        SPDX.get(plain := (told.get("License") or "?").strip(), plain)
    ]
    return " OR ".join(dict.fromkeys(known))


def condition(licence: str) -> str | None:
    """The condition of use, empty where there is none; None where the licence is not known to be compatible."""
    for choice in licence.replace("(", "").replace(")", "").split(" OR "):
        parts = choice.split(" AND ")
        if all(part in PERMISSIVE or part in BY_FILE for part in parts):
            return "; ".join(BY_FILE[part] for part in parts if part in BY_FILE)
    return None


def row(name: str, version: str) -> str:
    """One line of the table."""
    licence = licence_of(name)
    if licence is None:
        return f"| {name} | {version} | | not installed on Linux with Python 3.11 |"
    found = condition(licence)
    if found is None:
        raise SystemExit(f"{name} {version}: {licence}: not known to be compatible; judge it in scripts/licences.py")
    return f"| {name} | {version} | {licence} | {found} |"


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(row(*one) for one in locked()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
