"""CVE records from the source that an operator names: a file, or one URL whose host alone is asked."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from refute.assistant.instances import AssistantSettings
from refute.errors import RefuteError
from refute.guardrails.gates import Gates
from refute.guardrails.transport import FetchLimits, fetch
from refute.guardrails.urls import PinnedUrl, check_url

ID: Final = re.compile(r"\bCVE-\d{4}-\d{4,7}\b", re.IGNORECASE)
LIMITS: Final = FetchLimits(redirects=0, content_types=("application/json",))
MAX_FILE_BYTES: Final = 500_000_000
MAX_IDS: Final = 5
FOUND: Final = 3
_WORD: Final = re.compile(r"[a-z][\w.]{3,}")


class CveUnavailable(RefuteError):
    """The source gives no record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cve:
    """A record, as far as an operator needs it."""

    id: str
    summary: str
    score: float | None = None
    """CVSS base score; None where the record has none."""


def ids_in(text: str) -> tuple[str, ...]:
    """The CVE ids of a text."""
    return tuple(dict.fromkeys(found.upper() for found in ID.findall(text)))[:MAX_IDS]


def look_up(settings: AssistantSettings, text: str, gates: Gates) -> list[Cve]:
    """The records that a question names, or that share the most words with it (of a file).

    Raises:
        CveUnavailable: no source is named, or it cannot be read.
        UrlDenied, FetchFailed: its URL must not be fetched, or gave nothing.
    """
    wanted = ids_in(text)
    if settings.cve_file is not None:
        records = list(_of_file(settings.cve_file))
        return [one for one in records if one.id in wanted] if wanted else _similar(records, text)
    if not settings.cve_url:
        raise CveUnavailable("no CVE source is named", hint="Set assistant.cve_file, or assistant.cve_url.")
    found = [one for cve_id in wanted for one in _fetched(settings.cve_url, cve_id, gates)]
    return [one for one in found if one.id in wanted]


def _fetched(template: str, cve_id: str, gates: Gates) -> Iterator[Cve]:
    url = template.replace("{cve}", cve_id)
    host = str(urlsplit(url).hostname)

    def check(asked: str | None) -> PinnedUrl:
        return gates.url(asked, partial(check_url, allowed_hosts=(host,)))

    yield from records_of(_json(fetch(url, check=check, limits=LIMITS).body, url))


def _of_file(path: Path) -> Iterator[Cve]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise CveUnavailable(f"cve_file {path}: larger than {MAX_FILE_BYTES} bytes")
        content = path.read_bytes()
    except OSError as error:
        raise CveUnavailable(f"cve_file {path}: cannot be read: {error.strerror}") from error
    try:
        yield from records_of(json.loads(content))
    except (ValueError, RecursionError):
        for line in filter(None, map(bytes.strip, content.splitlines())):
            yield from records_of(_json(line, str(path)))


def _json(content: bytes, source: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CveUnavailable(f"{source}: not JSON") from error


def records_of(data: Any) -> Iterator[Cve]:
    """The records in a document: NVD 2.0, CVE 5, or `id` and `summary`; what is none of these is passed over."""
    match data:
        case list() | {"vulnerabilities": list()}:
            for one in data if isinstance(data, list) else data["vulnerabilities"]:
                yield from records_of(one)
        case dict():
            ids = (str(node.get("cveId", node.get("id"))) for node in _nodes(data))
            cve_id = next((one.upper() for one in ids if ID.fullmatch(one)), "")
            if cve_id:
                yield Cve(id=cve_id, summary=next(_summaries(data), ""), score=next(_scores(data), None))


def _nodes(data: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document, outer ones first."""
    if isinstance(data, dict):
        yield data
    for one in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _nodes(one)


def _summaries(data: Any) -> Iterator[str]:
    """Every description in English."""
    for node in _nodes(data):
        if isinstance(node.get("summary"), str):
            yield node["summary"]
        for one in _nodes(node.get("descriptions")):
            if str(one.get("lang", "")).startswith("en"):
                yield str(one.get("value", ""))


def _scores(data: Any) -> Iterator[float]:
    """Every CVSS base score."""
    for node in _nodes(data):
        score = node.get("baseScore", node.get("cvss"))
        if isinstance(score, int | float) and not isinstance(score, bool):
            yield float(score)


def _similar(records: list[Cve], text: str) -> list[Cve]:
    words = {*_WORD.findall(text.lower())} - {"cves", "about", "which", "what", "know", "tell", "vulnerability"}
    scored = [(len(words & {*_WORD.findall(one.summary.lower())}), one) for one in records]
    ranked = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].id))
    return [one for _, one in ranked[:FOUND]]
