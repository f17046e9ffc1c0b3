"""Simple commands of a shell script: words, redirections, and what they are handed to."""

from itertools import islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import UNKNOWN
from refute.scan.shell import redirects
from refute.scan.shell.assignments import assign_before
from refute.scan.shell.state import Call, Walker
from refute.scan.shell.words import MAX_ALTERNATIVES

_WORDS: Final = frozenset({"$", "-", "=", "==", "=~", "!="})
"""Words for which the grammar has no node of their own."""
_FILLS: Final = frozenset({"mkdir", "cp", "dd", "fallocate", "mktemp", "touch", "tee"})


def command(walker: Walker, node: Node, stdin: str) -> str:
    """A simple command, in each of the readings that its words allow."""
    words: list[list[list[str]]] = []
    files: list[Node] = []
    assignments: list[Node] = []
    for child in node.children:
        if child.type.endswith("_redirect"):
            files.append(child)
        elif child.type == "variable_assignment":
            assignments.append(child)
        elif child.is_named or child.type in _WORDS:
            words.append(walker.expander.words(child))
    before = assign_before(walker, assignments)
    effect = redirects.apply(walker, files, node)
    stdin = stdin if effect.stdin is None else effect.stdin
    background = node.next_sibling is not None and node.next_sibling.type == "&"
    outputs: list[str] = []
    for choice in islice(product(*words), MAX_ALTERNATIVES):
        argv = [word for part in choice for word in part]
        if argv:
            if walker.scope.endless and (background or argv[0] in _FILLS):
                rule = "fork-bomb" if background else "resource-exhaustion"
                walker.report.add(rule, walker.spot(node), " ".join(argv))
            outputs.append(walker.command(Call(walker, argv, node, stdin, background)))
    # Of several readings, the one that says something.
    output = next((text for text in outputs if text != UNKNOWN), outputs[0]) if outputs else ""
    for name, values in before.items() if words else ():
        # An assignment before a command is over when it ends, but for some builtins: either value may hold.
        walker.scope.variables[name] = tuple(dict.fromkeys((*values, *walker.scope.variables.get(name, ()))))
    return redirects.store(walker, effect, output, node)


def redirected(walker: Walker, node: Node, stdin: str) -> str:
    """A command with redirections behind it."""
    body = node.child_by_field_name("body")
    files = [child for child in node.named_children if child.type.endswith("_redirect")]
    printed = ""
    alternatives = walker.scope.branching
    if body is not None and body.type == "list":
        # The grammar hangs a redirection on the whole list; shells apply it to the last command only.
        *before, body = body.named_children
        printed = walker.all(before, stdin)
        walker.scope.branching += 1
    effect = redirects.apply(walker, files, node)
    output = walker.run(body, stdin if effect.stdin is None else effect.stdin) if body is not None else ""
    output = redirects.store(walker, effect, output, node)
    for stage in effect.pipeline:
        output = walker.run(stage, output)
    walker.all(effect.following)
    walker.scope.branching = alternatives
    return printed + output


def test(walker: Walker, node: Node, _stdin: str) -> str:
    """`[ … ]` and `[[ … ]]`, whose words may run something."""
    for child in node.named_children:
        walker.expander.texts(child, quoted=True)
    return ""
