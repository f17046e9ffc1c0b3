"""Knowledge as data: the tables (TOML) that come with refute."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def read_table(package: str, name: str) -> Mapping[str, Any]:
    """What a table holds, by kind of row.

    Args:
        package: in which it lies: `refute.guardrails`.
        name: of the file, without `.toml`.
    """
    return tomllib.loads(resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
