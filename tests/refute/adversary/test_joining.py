"""Pieces of generated code in one file leave each other alone."""

import ast
from typing import Any

import pytest

from refute.adversary.joining import join


def run(*pieces: str, modules: tuple[str, ...] = ("impl",)) -> tuple[dict[str, Any], tuple[dict[str, str], ...], str]:
    joined = join(pieces, modules)
    space: dict[str, Any] = {}
    exec(compile(joined.source, "joined", "exec"), space)  # noqa: S102  # written in this file
    return space, joined.names, joined.source


def test_helpers_of_one_name_keep_their_meaning() -> None:
    first = "LIMIT = 1\ndef helper():\n    return LIMIT\ndef test_a():\n    return helper()\n"
    second = "LIMIT = 2\ndef helper():\n    return LIMIT\ndef test_b():\n    return helper()\n"
    space, names, _ = run(first, second)
    assert (space["test_a"](), space["test_b"]()) == (1, 2)
    assert names == ({}, {"LIMIT": "LIMIT_2", "helper": "helper_2"})


def test_locals_parameters_and_keywords_of_a_changed_name_stay() -> None:
    second = (
        "size = 2\n"
        "def outer(size):\n    return [size for _ in 'x']\n"
        "def test_b():\n    return outer(size=7), (lambda size: size)(8), size\n"
    )
    space, _, _ = run("size = 1\n", second)
    assert space["test_b"]() == ([7], 8, 2)


def test_what_both_import_is_imported_once() -> None:
    _, names, source = run(
        "import math\nfrom json import dumps, loads\n", "import math\nfrom json import loads\nx = loads('1')\n"
    )
    assert names[1] == {}
    assert source.count("import math") == source.count("loads\n") == 1


def test_one_name_for_two_modules_is_told_apart() -> None:
    space, _, _ = run("import math as m\n", "import json as m\ndef test_b():\n    return m.dumps(1)\n")
    assert space["test_b"]() == "1"


def test_an_import_of_the_implementation_that_fails_is_one_test_s_own_fault() -> None:
    first = "from impl import gone\ndef test_a():\n    return gone()\n"
    space, _, source = run(first, "def test_b():\n    return 2\n")
    assert space["test_b"]() == 2
    with pytest.raises(ImportError):
        space["test_a"]()
    assert "    from impl import gone" in source


def test_an_import_that_a_decorator_needs_stays_where_it_is() -> None:
    joined = join(["from impl import LIMIT\n@mark(LIMIT)\ndef test_a():\n    return LIMIT\n"], ["impl"])
    assert joined.source.startswith("from impl import LIMIT")


def test_a_future_import_inside_the_file_is_left_out() -> None:
    space, _, _ = run("x = 1\n", "from __future__ import annotations\ndef test_b() -> int:\n    return 2\n")
    assert space["test_b"]() == 2


def test_fixtures_of_one_name_are_used_by_their_new_one() -> None:
    piece = "import pytest\n@pytest.fixture\ndef box():\n    return {n}\ndef test_{n}(box):\n    return box\n"
    joined = join([piece.format(n=1), piece.format(n=2)], [])
    functions = {node.name: node for node in ast.parse(joined.source).body if isinstance(node, ast.FunctionDef)}
    assert "box_2" in functions
    assert ast.unparse(functions["test_2"].args) == "box_2"


def test_a_piece_that_does_not_parse_takes_only_itself_away() -> None:
    space, _, _ = run("def (", "def test_b():\n    return 2\n")
    assert space["test_b"]() == 2


def test_what_need_not_change_stays_as_it_was_written_with_its_comments() -> None:
    piece = "# why\ndef test_a():\n    x = {'a':1}   # odd spacing\n    return x\n"
    assert join([piece], []).source.strip() == piece.strip()


def test_a_package_that_is_not_there_breaks_only_the_tests_that_use_it() -> None:
    tests = "def test_a():\n    return 1\n\ndef test_b():\n    return far()\n"
    piece = f"import math, nowhere\nfrom nowhere.deep import far\n\n{tests}"
    space, _, source = run("import json\n", piece)
    assert space["test_a"]() == 1
    with pytest.raises(ModuleNotFoundError):
        space["test_b"]()
    assert source.startswith("import json\n")
