"""Release notes from the history of a git repository."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, Optional

HEADINGS = {"feat": "Features", "fix": "Fixes", "perf": "Performance", "docs": "Documentation"}
SUBJECT = re.compile(r"^(?P<kind>[a-z]+)(?:\((?P<scope>[^)]+)\))?(?P<breaking>!)?: (?P<text>.+)$")


class GitError(RuntimeError):
    """git failed."""


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise GitError(done.stderr.strip())
    return done.stdout


def last_tag(repository: Path) -> Optional[str]:
    """Return the most recent tag, or None if there is none."""
    try:
        return _git(repository, "describe", "--tags", "--abbrev=0").strip()
    except GitError:
        return None


def subjects_since(repository: Path, tag: Optional[str]) -> List[str]:
    """Return the commit subjects since a tag, newest first."""
    revisions = f"{tag}..HEAD" if tag else "HEAD"
    return _git(repository, "log", "--pretty=format:%s", revisions).splitlines()


def group(subjects: List[str]) -> Dict[str, List[str]]:
    """Group conventional commit subjects by heading; others are left out.

    >>> group(["feat: add x", "fix(api): mend y", "wip"])
    {'Features': ['add x'], 'Fixes': ['api: mend y']}
    """
    grouped: Dict[str, List[str]] = defaultdict(list)
    for subject in subjects:
        match = SUBJECT.match(subject)
        if match is None or match["kind"] not in HEADINGS:
            continue
        text = f"{match['scope']}: {match['text']}" if match["scope"] else match["text"]
        grouped[HEADINGS[match["kind"]]].append(text)
    return dict(grouped)


def render(version: str, grouped: Dict[str, List[str]]) -> str:
    """Render the notes as Markdown."""
    lines = [f"# {version}", ""]
    for heading in HEADINGS.values():
        if heading in grouped:
            lines += [f"## {heading}", *(f"- {text}" for text in grouped[heading]), ""]
    return "\n".join(lines)


def release_notes(repository: Path, version: str) -> str:
    """Release notes for everything since the last tag."""
    return render(version, group(subjects_since(repository, last_tag(repository))))
