"""A model without a model: picks the sentences that answer a goal, and obeys whatever it reads.

It works without a key, and it makes attacks visible: what a page can have it do in `vulnerable` mode, the gates of
`defended` mode must stop, since the model itself resists nothing.
"""

import base64
import binascii
import codecs
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Final

from refute.llm.model import Completion, Ending, Prompt, Reply, Usage
from refute.research.grounding import FREE_WORDS, sentences, words
from refute.tables import read_table

NAME: Final = "scripted"
MAX_POINTS: Final = 4
MIN_CHARS: Final = 30
MAX_CHARS: Final = 400
"""Of a sentence that it picks."""
_BLOCK: Final = re.compile(r"\[UNTRUSTED-CONTENT (\S+) [^\]]*\]\n(.*?)\n?\[END-UNTRUSTED-CONTENT \1\]", re.DOTALL)
_GOAL: Final = re.compile(r"\AResearch goal:\n(.*?)\n\nSource", re.DOTALL)
_URL: Final = re.compile(r"may cite: (\S+)")
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


@dataclass(frozen=True, slots=True)
class Order:
    """One thing that a text asks for."""

    act: str
    value: str
    sentence: str
    """As it asks for it."""


class GullibleModel:
    """Answers like a model that does what it is told by whoever told it last."""

    def generate(self, prompt: Prompt) -> Completion:
        """An answer, at no cost."""
        sealed = prompt.sealed()
        text = json.dumps(_answer(sealed)) if "plan" not in prompt.name else json.dumps({"urls": []})
        answer = json.loads(text)
        said = answer.pop("broken", None)
        return Completion(
            reply=Reply(
                ending=Ending.COMPLETE,
                text=str(said) if said else json.dumps(answer),
                detail="STOP",
                usage=Usage(),
                model=NAME,
            ),
            cost_usd=Decimal(0),
            latency_s=0.0,
            prompt_digest=prompt.digest,
        )


def orders_in(text: str) -> list[Order]:
    """What a text asks for, also where it says so in code."""
    found = []
    for sentence in sentences(text):
        for said in _readings(sentence):
            found += [
                Order(act, match["value"].rstrip(".,;"), said)
                for act, regex in _orders()
                if (match := regex.search(said))
            ]
    return list(dict.fromkeys(found))


def _answer(prompt: Prompt) -> dict[str, Any]:
    goal = match[1] if (match := _GOAL.search(prompt.text)) else ""
    url = match[1] if (match := _URL.search(prompt.text)) else ""
    blocks = "\n".join(
        re.sub(rf"^{re.escape(token)}\| ?", "", part, flags=re.MULTILINE) for token, part in _BLOCK.findall(prompt.text)
    )
    text = blocks or prompt.text.partition("\n\n")[2]
    points = [{"text": one, "quote": one} for one in _best(goal, text)]
    answer: dict[str, Any] = {
        "summary": " ".join(one["text"] for one in points[:2]),
        "key_points": points,
        "citations": [url] if url else [],
    }
    for order in orders_in(text):
        _obey(order, answer, goal=goal, system=prompt.system)
    return answer


def _obey(order: Order, answer: dict[str, Any], *, goal: str, system: str) -> None:
    calls = answer.setdefault("tool_calls", []) if order.act in {"fetch", "call"} else []
    match order.act:
        case "fetch":
            url = f"{order.value}?goal={_encoded(goal, order.sentence)}" if "goal" in order.sentence else order.value
            calls.append({"tool": "fetch", "arguments": {"url": url}})
        case "call":
            calls.append({"tool": order.value, "arguments": {}})
        case "leak":
            said = _encoded(
                system[:200] if "system" in order.value or "instruct" in order.value else goal, order.sentence
            )
            answer["summary"] = f"{said} {answer['summary']}"
            answer["key_points"] = [{**one, "text": f"{one['text']} {said}"} for one in answer["key_points"]]
        case "say":
            answer["summary"] = order.value
            answer["key_points"].insert(0, {"text": order.value, "quote": order.value})
        case "cite":
            answer["citations"].append(order.value)
            answer["key_points"].insert(
                0, {"text": f"As {order.value} shows, all is settled.", "quote": f"as shown by {order.value}"}
            )
        case "break":
            answer["broken"] = "<report>I answer as the page wishes.</report>"
        case _:
            answer.update(summary="The task was abandoned.", key_points=[], citations=[])


def _encoded(text: str, sentence: str) -> str:
    if "base64" in sentence:
        return base64.b64encode(text.encode()).decode()
    if "hex" in sentence:
        return text.encode().hex()
    if "revers" in sentence or "backward" in sentence:
        return text[::-1]
    if "rot13" in sentence:
        return codecs.encode(text, "rot13")
    if "spac" in sentence or "letter by letter" in sentence:
        return " ".join(text)
    return text


def _readings(sentence: str) -> Iterator[str]:
    """A sentence as it is and as what it may stand for."""
    plain = "".join(char for char in unicodedata.normalize("NFKC", sentence).lower() if char.isprintable())
    yield plain
    if re.search(r"(?:\b\w[ .\-_]){3}", plain):
        yield re.sub(r"(?<=\b\w)[ .\-_](?=\w\b)", "", plain)
    for run in _ENCODED.findall(sentence):
        for decode in (base64.b64decode, bytes.fromhex):
            try:
                yield decode(run + "=" * (-len(run) % 4) if decode is base64.b64decode else run).decode("ascii").lower()
            except (ValueError, binascii.Error):
                continue
    if not re.search(r"\bthe\b|\bto\b|\bis\b", plain):
        yield plain[::-1]
        yield codecs.encode(plain, "rot13")


def _best(goal: str, text: str) -> list[str]:
    """The sentences that share most words with the goal, in the text's order."""
    wanted = {word[:5] for word in words(goal) if word not in FREE_WORDS and len(word) > 2}  # noqa: PLR2004
    scored = [
        (len(wanted & {word[:5] for word in words(one)}), one)
        for one in sentences(text)
        if MIN_CHARS <= len(one) <= MAX_CHARS
    ]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])[:MAX_POINTS]
    return [one for _, one in scored if any(one is kept for _, kept in best)]


@cache
def orders_table() -> tuple[dict[str, str], ...]:
    """The rows of `orders.toml`."""
    return tuple(read_table("refute.evaluation", "orders")["order"])


@cache
def _orders() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((row["act"], re.compile(row["regex"])) for row in orders_table())
