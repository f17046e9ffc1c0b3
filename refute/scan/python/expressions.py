"""Python expressions: what each yields, and what calling it leads to."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

from refute.scan.core.symbols import DERIVED, DOWNLOAD, SECRET, UNKNOWN, capped, is_open
from refute.scan.python import folding
from refute.scan.python import values as v
from refute.scan.python.members import NAMED, POWERFUL, joined
from refute.scan.python.rows import effects_of
from refute.scan.python.state import RUNS_COMMANDS, Call, Walk
from refute.scan.python.values import UNK, Ref, choose, options_of

MAX_DEPTH: Final = 8
_MAX_ALL_ROUNDS: Final = 12_000
_MAX_ENTRIES: Final = 200
"""Different arguments with which one function is walked."""
_MAX_RESULTS: Final = 3
"""Calls on results of calls that are followed by name."""
_HANDED: Final = RUNS_COMMANDS - {"builtins.exec", "builtins.eval"}
_LOOKS: Final = frozenset({"builtins", "inspect", "functools"})
"""Modules whose functions look at what they are given, and do not call it."""
_TELLING: Final = frozenset(
    """system popen run call Popen check_output check_call getoutput exec eval spawn execl execlp execv execve execvp
    rmtree remove unlink rmdir connect CDLL loads fork ptrace mprotect mmap syscall kill setuid chmod chown reboot mount
    dlopen""".split()
)
"""What a module that can do anything, or a C library, is asked for."""
_COMPUTED: Final = "The module is imported by a computed name."
_TABLE_METHODS: Final = frozenset({"get", "pop", "__getitem__", "setdefault"})
_HANDS_ON: Final = (ast.FormattedValue, ast.Await, ast.Starred, ast.Yield, ast.YieldFrom)
"""Expressions that are what is in them."""


def operate(operator: ast.operator, left: Any, right: Any) -> Any:
    """A binary operator, paths included."""
    if isinstance(operator, ast.Div) and (isinstance(left, v.PathText) or isinstance(right, v.PathText)):
        return v.PathText(joined(left, right))
    return folding.binary(type(operator).__name__, left, right)


@dataclass(slots=True, eq=False, repr=False)
class Expressions(Walk):
    """The part of the walk that works expressions out."""

    def value(self, node: ast.expr) -> Any:  # noqa: PLR0911 - one return per kind
        """Walk an expression and say what it yields."""
        self.report.spend()
        match node:
            case ast.Constant(value=constant):
                return UNK if constant is Ellipsis else constant
            case ast.Name(id=name):
                return self.lookup(name)
            case ast.Attribute(value=inner, attr=name):
                return v.lift(lambda owner: self.attribute(owner, name, node), self.value(inner))
            case ast.Call():
                return self._call(node)
            case ast.BinOp(left=left, op=operator, right=right):
                return v.lift(lambda *sides: operate(operator, *sides), self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.USub() | ast.Invert() as sign, operand=inner):
                value = self.value(inner)
                return UNK if not isinstance(value, int) else -value if isinstance(sign, ast.USub) else ~value
            case ast.Subscript(value=inner, slice=part):
                index = self.value(part)
                return v.lift(lambda owner: self.item(owner, index, node), self.value(inner))
            case ast.NamedExpr(target=target, value=inner):
                value = self.value(inner)
                self.bind(target, value)
                return value
            case ast.Lambda():
                self.functions.append(v.Function(node, self.env))
                return self.functions[-1]
        return self._composed(node)

    def _composed(self, node: ast.expr) -> Any:  # noqa: PLR0911 - one return per kind
        """What is made of parts, or hands one on."""
        match node:
            case ast.JoinedStr(values=parts):
                return v.lift(lambda *row: capped("".join(map(v.as_text, row))), *map(self.value, parts))
            case ast.List(elts=parts) | ast.Set(elts=parts):
                return self._elements(parts)
            case ast.Tuple(elts=parts):
                return tuple(self._elements(parts))
            case ast.Dict():
                return self._table(node)
            case ast.Slice(lower=lower, upper=upper, step=step):
                bounds = [None if part is None else self.value(part) for part in (lower, upper, step)]
                return slice(*bounds) if v.is_constant(bounds) else UNK
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                outer, self.env = self.env, self.env.new_child()
                found = self._generate(node.value if isinstance(node, ast.DictComp) else node.elt, node.generators)
                self.env = outer
                return UNK if isinstance(node, ast.DictComp) else found
        parts = [self.value(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        if isinstance(node, ast.BoolOp | ast.IfExp):
            return choose(parts[isinstance(node, ast.IfExp) :])
        return parts[0] if isinstance(node, _HANDS_ON) and parts else UNK

    def _elements(self, nodes: list[ast.expr]) -> list[Any]:
        items: list[Any] = []
        for part in nodes:
            value = self.value(part)
            spread = isinstance(part, ast.Starred) and isinstance(value, list | tuple)
            items.extend(value if spread else [value])
        return items

    def _table(self, node: ast.Dict) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            name, value = key and self.value(key), self.value(item)
            if key is not None:
                made[name if isinstance(name, str | int | bytes | float) else UNKNOWN] = value
            elif isinstance(value, dict):
                made.update(value)
        return made

    def _generate(self, element: ast.expr, generators: list[ast.comprehension]) -> Any:
        if not generators:
            return [self.value(element)]
        first, *rest = generators
        items, followed = self.elements(first.iter, v.MAX_ITEMS // 2)
        made: list[Any] = []
        for position, item in enumerate(items):
            self.env.maps[0].pop(getattr(first.target, "id", ""), None)
            self.bind(first.target, item)
            for condition in first.ifs if position == 0 else ():
                self.value(condition)
            inner = self._generate(element, rest)
            made.extend(inner if isinstance(inner, list) else [UNK])
        return made if followed else UNK

    def elements(self, iterable: ast.expr, most: int) -> tuple[list[Any], bool]:
        """What a loop runs over, one by one up to so many; else one that stands for all, and False."""
        sequence = v.iterated(self.value(iterable))
        if not isinstance(sequence, list):
            return [sequence], False
        self.rounds += len(sequence)
        followed = len(sequence) <= most and self.rounds <= _MAX_ALL_ROUNDS
        return (sequence if followed else [choose(sequence[: v.MAX_CHOICES])]), followed

    def _call(self, node: ast.Call) -> Any:
        target = self.value(node.func)
        arguments = self._elements(node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = options_of(value)[0]
            elif isinstance(value, dict):
                keywords |= {key: options_of(item)[0] for key, item in value.items() if isinstance(key, str)}
        rows = list(islice(product(*map(options_of, arguments)), v.MAX_CHOICES))
        return choose([self.call(each, list(row), keywords, node) for each in options_of(target) for row in rows])

    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        """Call a value."""
        match target:
            case v.Function():
                return self.enter(target, arguments, keywords)
            case v.Members():
                if isinstance(start := target.get("__init__"), v.Function):
                    self.enter(start, arguments, keywords)
                return target
            case Ref(name):
                return self._reference(Call(self, name, arguments, keywords, node))
            case v.Bound(owner, name):
                return self._method(owner, Call(self, f"….{name}", arguments, keywords, node))
            case str() if DOWNLOAD in target:
                return target
        self.follow(Call(self, "?", arguments, keywords, node))
        return UNK

    def _reference(self, call: Call) -> Any:
        """Call something known by name."""
        name, last = call.name, call.last
        if name.startswith(("?", "ctypes.", "cffi.")) and (name[0] == "?" or "()." in name):
            # `plugin.backend.run()` is a plugin's own; a module that can do anything is asked for its function.
            inner = {part.partition("(")[0] for part in name.split(".")[1:-1]}
            if last in _TELLING and (name[0] != "?" or inner <= POWERFUL):
                rule, detail = ("dynamic-code", _COMPUTED) if name[0] == "?" else ("introspection-escape", "")
                # What is handed over by a function's own parameter may be a plugin's: only shown.
                call.judge.flag(rule, detail=detail, mild=name[0] == "?" and all(one is UNK for one in call.values))
            return UNK
        if (row := self.row_of(Ref(name))) is not None:
            found = self.engine.perform(effects_of(call, row), call)
            if found is not None:
                return found
        if name in NAMED:
            return folding.attempt(NAMED[name], *call.arguments)
        if any(SECRET in text for value in call.values for text in v.carried(value)):
            return SECRET
        result = folding.pure_call(name, call.arguments, call.keywords)
        if result is UNK and name.startswith(("builtins.str.", "builtins.bytes.", "builtins.int.")) and call.arguments:
            result = folding.method_call(call.arguments[0], last, call.arguments[1:], call.keywords)
        if result is UNK:
            self.follow(call)
            return Ref(f"{name}()") if "." in name and name.count("()") < _MAX_RESULTS else UNK
        return result

    def _method(self, owner: Any, call: Call) -> Any:
        """Call a method of a value."""
        name, given = call.last, call.arguments
        if isinstance(owner, v.PathText | v.FileValue):
            kind = owner.kind if isinstance(owner, v.FileValue) else "Path"
            whole = Call(self, f"{kind}.{name}", [owner, *given], call.keywords, call.node)
            if self.is_telling(Ref(whole.name)):
                return self._reference(whole)
        if isinstance(owner, Ref):
            if given and name in _TABLE_METHODS:
                return self.item(owner, given[0], call.node)
            return Ref(f"{owner.name}.copy()") if name in {"copy", "items", "values", "keys"} else UNK
        result = folding.method_call(owner, name, given, call.keywords)
        if result is UNK and isinstance(owner, str) and is_open(owner):
            return owner
        if result is UNK:
            self.follow(call)
        return result

    def follow(self, call: Call) -> None:
        """Something that is handed over as an argument will be called: with what stands beside it, as pools do."""
        given = call.keywords.get("args", call.keywords.get("kwargs"))
        for position, value in enumerate(call.values):
            rest = list(given) if isinstance(given, list | tuple) else call.arguments[position + 1 :]
            for target in options_of(value):
                if isinstance(target, v.Function) and target.node not in self.called:
                    self.enter(target, rest, {}, known=bool(rest))
                elif isinstance(target, Ref) and target.name in _HANDED and call.name.partition(".")[0] not in _LOOKS:
                    call.judge.flag("dynamic-code", detail=f"It hands on {target.name}, which is called out of sight.")
                elif rest and self.is_telling(target):
                    self.call(target, rest, {}, call.node)

    def enter(self, function: v.Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool = True) -> Any:
        """Walk a function's body with these arguments; without known arguments every parameter is unknown."""
        node = function.node
        if node in self.stack or len(self.stack) >= MAX_DEPTH:
            return UNK
        if known:
            self.called.add(node)
        entries = self.entries.setdefault(node, {})
        key = id(function.instance), known, v.signature([*arguments, *keywords.items()])
        if key not in entries and len(entries) >= _MAX_ENTRIES:
            return DERIVED  # so many calls of one function spell something out
        if key not in entries:
            entries[key] = UNK
            before = self.env, self.stack, self.endless, self.branching
            self.env, self.stack, self.branching = function.env.new_child(), (*self.stack, node), 0
            self.endless = self.endless if known else 0
            self._bind_parameters(function, arguments, keywords)
            returned = [self.value(node.body)] if isinstance(node, ast.Lambda) else self.body(node.body)
            entries[key] = choose(returned or [None])
            self.env, self.stack, self.endless, self.branching = before
        return entries[key]

    def _bind_parameters(self, function: v.Function, arguments: list[Any], keywords: dict[str, Any]) -> None:
        spec, bound = function.node.args, self.env.maps[0]
        parameters = [*spec.posonlyargs, *spec.args]
        given = [None] * (len(parameters) - len(spec.defaults)) + [*spec.defaults, *spec.kw_defaults]
        for parameter, default in zip([*parameters, *spec.kwonlyargs], given, strict=True):
            bound[parameter.arg] = UNK if default is None else self.value(default)
        decorators = {getattr(one, "id", "") for one in getattr(function.node, "decorator_list", ())}
        if function.instance is not None and parameters and "staticmethod" not in decorators:
            bound[parameters.pop(0).arg] = function.instance
        bound.update(zip([parameter.arg for parameter in parameters], arguments, strict=False))
        if spec.vararg is not None:
            bound[spec.vararg.arg] = list(arguments[len(parameters) :]) or UNK
        if spec.kwarg is not None:
            bound[spec.kwarg.arg] = {key: value for key, value in keywords.items() if key not in bound} or UNK
        bound.update({key: value for key, value in keywords.items() if key in bound})
