"""Changes that may make no difference are told apart from those that must."""

import ast

import pytest

from refute.adversary.strength.equivalents import suspicion


def said_of(code: str, kind: type[ast.AST]) -> str:
    tree = ast.parse(code)
    site = next(node for node in ast.walk(tree) if isinstance(node, kind))
    return suspicion(tree, site)


@pytest.mark.parametrize(
    ("code", "kind", "suspected"),
    [
        ("if a < b:\n    b = a\n", ast.Compare, True),
        ("x = a if a < b else b\n", ast.Compare, True),
        ("def f(a, b):\n    if a < b:\n        return b\n    return a\n", ast.Compare, True),
        ("def f(a, b):\n    if a < b:\n        return b\n    return 0\n", ast.Compare, False),
        ("time.sleep(0.1)\n", ast.Constant, True),
        ("connect(timeout=3)\n", ast.Constant, True),
        ("if a < b:\n    b = c\n", ast.Compare, False),
        ("x = a if a < b else c\n", ast.Compare, False),
        ("x = a if a == b else b\n", ast.Compare, False),
        ("connect(port=3)\n", ast.Constant, False),
        ("x = 3\n", ast.Constant, False),
        ("def main():\n    return 0\n\nsys.exit(main())\n", ast.Return, True),
        ("def main():\n    return 2\n\nsys.exit(main())\n", ast.Return, False),
        ("def size(x):\n    return 0\n", ast.Return, False),
    ],
)
def test_only_changes_without_an_effect_on_results_are_suspected(code: str, kind: type, suspected: bool) -> None:
    assert bool(said_of(code, kind)) is suspected
