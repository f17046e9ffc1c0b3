"""Statements of a shell script: commands with redirections, conditions, loops, lists, pipelines and functions."""

from itertools import islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import UNKNOWN
from refute.scan.shell import redirects
from refute.scan.shell.assignments import assign_before
from refute.scan.shell.expansion import MAX_ALTERNATIVES
from refute.scan.shell.roles import listed_by
from refute.scan.shell.state import Call, Walker
from refute.scan.shell.syntax import below, text_of

_WORDS: Final = frozenset({"$", "-", "=", "==", "=~", "!="})
"""Words for which the grammar has no node of their own."""
_PATTERNS: Final = frozenset({"word", "extglob_pattern", "string", "raw_string", "concatenation"})


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
    outputs: list[str] = []
    for choice in islice(product(*words), MAX_ALTERNATIVES):
        argv = [word for part in choice for word in part]
        if argv:
            outputs.append(walker.command(Call(walker, argv, node, stdin)))
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


def branch(walker: Walker, node: Node, stdin: str) -> str:
    """A condition, or a loop of which nothing more is known: assignments inside add a value."""
    with walker.scope.branch():
        return walker.all(node.named_children, stdin)


def loop_for(walker: Walker, node: Node, stdin: str) -> str:
    """A `for` loop, walked once with all values of its variable."""
    body, variable = node.child_by_field_name("body"), node.child_by_field_name("variable")
    listed = [child for child in node.named_children if child not in {body, variable}]
    values = [word for child in listed for words in walker.expander.words(child) for word in words]
    walker.perform(listed_by(values), node, "for")
    if not listed:
        values = walker.scope.elements("@")
    with walker.scope.branch():
        if variable is not None:
            walker.scope.variables.pop(text_of(variable), None)
            walker.scope.assign(text_of(variable), tuple(dict.fromkeys(values)) or (UNKNOWN,))
        return walker.run(body, stdin) if body is not None else ""


def choose_case(walker: Walker, node: Node, stdin: str) -> str:
    """A `case`: every item may run."""
    with walker.scope.branch():
        for child in node.named_children:
            if child.type == "case_item":
                walker.all([part for part in child.named_children if part.type not in _PATTERNS], stdin)
            else:
                walker.expander.texts(child)
    return UNKNOWN


def subshell(walker: Walker, node: Node, stdin: str) -> str:
    """Commands in a shell of their own, which keeps its variables and directory to itself."""
    return walker.fork().all(node.named_children, stdin)


def alternatives(walker: Walker, node: Node, stdin: str) -> str:
    """Commands joined by `&&` or `||`: what follows runs only where the first side ended well, or badly."""
    first, *rest = node.named_children
    output = walker.run(first, stdin)
    either = any(part.type == "||" for part in node.children)
    with walker.scope.branch():
        for child in rest:
            printed = walker.run(child, stdin)
            output = output or printed if either else output + printed
    return output


def pipeline(walker: Walker, node: Node, stdin: str) -> str:
    """Commands of which each reads what the one before it prints."""
    output = stdin
    for child in node.named_children:
        output = walker.run(child, output)
    return output


def define(walker: Walker, node: Node, _stdin: str) -> str:
    """A function definition; its body is walked where it is called."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        word = text_of(name)
        walker.scope.functions[word] = body, walker.place
        walker.shared.called.discard(word)
        if any(_starts_beside(word, inner) for inner in below(body)):
            walker.report.add("resource-exhaustion", walker.spot(node), text_of(node))
    return ""


def _starts_beside(name: str, node: Node) -> bool:
    """Whether a command starts this function beside itself: in a pipeline or in the background."""
    word = node.child_by_field_name("name") if node.type == "command" else None
    parent = node.parent
    if word is None or text_of(word) != name or parent is None:
        return False
    following = node.next_sibling or parent.next_sibling
    return parent.type == "pipeline" or (following is not None and following.type == "&")
