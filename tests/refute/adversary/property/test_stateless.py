"""Which classes are made with nothing and changed by nothing; in doubt a class has state."""

import ast
import textwrap

import pytest

from refute.adversary.property.reading import read_surface
from refute.adversary.property.stateless import is_stateless
from tests.refute.adversary.property.workbench import brief_of

STATELESS = {
    "nothing kept": "def f(self, x): return x",
    "constants": "LIMIT = 3\nNAMES: tuple = ('a', -1)\ndef f(self, x): return x[: self.LIMIT]",
    "a default": "def __init__(self, sep='-', *, n=2): self.sep = sep\ndef f(self, x): return self.sep.join(x)",
    "a table that is looked into": "T = {'a': 1}\ndef f(self, x): return x in self.T and self.T.get(x, self.T['a'])",
    "a list that is walked": "def __init__(self): self.xs = [1]\ndef f(self): return sum(self.xs) + len(self.xs)",
    "methods that call each other": "def g(self, x): return x\ndef f(self, x): return list(map(self.g, [self.g(x)]))",
    "a class method": "N = 2\n@classmethod\ndef g(cls, x): return x * cls.N\ndef f(self, x): return self.g(x)",
    "a pattern": "P = re.compile('a')\ndef f(self, x): return self.P.sub('', x)",
}
STATEFUL = {
    "set in a method": "def f(self, x): self.x = x",
    "counted": "n = 0\ndef f(self): self.n += 1",
    "taken away": "n = 0\ndef f(self): del self.n",
    "a list that grows": "def __init__(self):\n    self.xs = []\ndef f(self, x): self.xs.append(x)",
    "a list that is handed on": "def __init__(self):\n    self.xs = []\ndef f(self): return self.xs",
    "a list under another name": "def __init__(self): self.xs = []\ndef f(self):\n    xs = self.xs\n    xs.append(1)",
    "a list handed to a function": "XS = []\ndef f(self): return push(self.XS)",
    "an item that is set": "T = {}\ndef f(self, x): self.T[x] = 1",
    "an item of the class that is set": "T = {}\ndef f(self, x): C.T[x] = 1",
    "lists in a table": "T = {'a': []}\ndef f(self, x): self.T['a'].append(x)",
    "something of the module": "def __init__(self): self.xs = XS\ndef f(self, x): self.xs.append(x)",
    "itself handed on": "def f(self): return push(self)",
    "its dictionary": "def f(self, x): self.__dict__['x'] = x",
    "arguments needed": "def __init__(self, n): self.n = n\ndef f(self): return self.n",
    "a default that changes": "def __init__(self, xs=[]): self.xs = xs\ndef f(self, x): self.xs.append(x)",
    "a constructor that does something": "def __init__(self): connect()\ndef f(self): return 1",
    "a constructor that decides": "def __init__(self, n=0):\n    if n: self.n = n\ndef f(self): return 1",
    "made elsewhere": "def __new__(cls): return object()\ndef f(self): return 1",
    "attributes by hand": "def __getattr__(self, name): return 1\ndef f(self): return 1",
    "a field without a value": "n: int\ndef f(self): return self.n",
    "a call in the class": "T = load()\ndef f(self): return 1",
    "another name for itself": "def f(this, x): this.x = x",
    "a global": "def f(self):\n    global N\n    N = 1",
}


def made(body: str, head: str = "class C:") -> ast.ClassDef:
    node = ast.parse(f"{head}\n{textwrap.indent(body, '    ')}").body[0]
    assert isinstance(node, ast.ClassDef)
    return node


@pytest.mark.parametrize("name", STATELESS)
def test_a_class_that_only_reads_what_it_holds_has_no_state(name: str) -> None:
    assert is_stateless(made(STATELESS[name]))
    assert is_stateless(made(STATELESS[name], "class C(object):"))


@pytest.mark.parametrize("name", STATEFUL)
def test_a_class_that_might_change_has_state(name: str) -> None:
    assert not is_stateless(made(STATEFUL[name]))


@pytest.mark.parametrize("head", ["class C(Base):", "class C(metaclass=M):", "@dataclass\nclass C:", "@make\nclass C:"])
def test_a_class_that_others_had_a_hand_in_has_state(head: str) -> None:
    assert not is_stateless(made(STATELESS["nothing kept"], head))


def test_a_decorated_method_is_not_called_on_a_new_instance() -> None:
    code = """
    class C:
        @property
        def p(self): return 1
        @cached
        def m(self, x): return x
        def f(self, x): return x
    """
    surface = read_surface(brief_of(code, ["c"]).modules)
    assert {function.name: function.receiver for function in surface.callables()} == {"p": "", "m": "", "f": "C()"}
