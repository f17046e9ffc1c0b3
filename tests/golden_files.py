"""Texts that were agreed on, under tests/golden and docs: `REFUTE_UPDATE_GOLDEN=1 pytest …` writes them anew."""

import os
from pathlib import Path
from typing import Final

from refute.llm.model import Prompt

GOLDEN: Final = Path(__file__).parent / "golden"


def assert_agreed(text: str, path: Path) -> None:
    """Compare a text with the file that holds what was agreed on."""
    if os.environ.get("REFUTE_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"differs from {path}; REFUTE_UPDATE_GOLDEN=1 writes it anew"


def assert_prompt_agreed(prompt: Prompt, name: str) -> None:
    """The same of a prompt, with its marker spelled out."""
    told = f"# {prompt.name}\n\n{prompt.system}\n---\n\n{prompt.text}".replace("\0", "|")
    assert_agreed(told, GOLDEN / "prompts" / f"{name}.md")
