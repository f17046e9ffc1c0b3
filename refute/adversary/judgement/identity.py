"""Where code asks who runs it, and where: what cannot be made different in a container is looked for in the source.

Code that is right only under test must ask. Ordinary code seldom does, and where a claim speaks of it, it may.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.references import names_in
from refute.adversary.screening.resolution import Resolution
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import parsed_or_none

SPEAKING: Final[Mapping[str, str]] = {
    r"garbage|\bgc\b": "gc.get_objects gc.get_referrers",
    r"frame|stack|caller|traceback": "sys._getframe inspect.stack inspect.currentframe traceback.extract_stack"
    " traceback.format_stack traceback.print_stack traceback.walk_stack f_back tb_frame",
    r"frame|stack|thread": "sys._current_frames threading.enumerate threading.active_count",
    r"\buser|\buid\b|login|owner|\broot\b|permission": "os.getuid os.geteuid os.getlogin pwd.getpwuid getpass.getuser",
    r"\bgroup|\bgid\b|owner|permission": "os.getgid",
    r"parent|process": "os.getppid",
    r"\bhost|machine|node": "socket.gethostname socket.getfqdn platform.node",
    r"\bhost|machine|platform|system|kernel": "os.uname",
    r"\buuid|\bmac\b|hardware": "uuid.getnode",
    r"\bargv|command line": "sys.orig_argv",
    r"\bpath|import|module": "sys.path",
    r"__main__|script|command line": "__main__",
    r"limit": "resource.getrlimit",
    r"ctypes|native|shared librar|interpreter|\bC\b": "ctypes.CDLL ctypes.cdll ctypes.pythonapi",
}
"""Words of a claim → what it then may read: dotted names, and attributes of whatever object."""
READS: Final = {name: words for words, names in SPEAKING.items() for name in names.split()}
PLACES: Final[Mapping[str, str]] = {
    "/proc": r"/proc|process|memory|kernel",
    "/sys": r"/sys\b|kernel|device",
    "/.dockerenv": r"docker|container",
    "/workspace": r"/workspace",
    "/attack": r"/attack",
    "/opt/refute": r"/opt/refute",
}
"""How the text of a path begins → words of a claim that speak of it."""
AROUND: Final = frozenset(
    {
        "environ", "getenv", "now", "today", "time", "localtime", "mktime", "strftime", "tzset", "astimezone",
        "fromtimestamp", "getcwd", "cwd", "home", "expanduser", "resolve", "absolute", "abspath", "stat", "getmtime",
        "gettempdir", "hash", "set", "frozenset", "id", "getlocale", "getpreferredencoding", "getuser", "getuid",
        "gethostname",
    }
)  # fmt: skip
"""Names with which a test may itself look at where it runs; then a difference may be its own."""


def looks_around(suite: SuiteSource, test: str) -> bool:
    """Whether a test, or a helper that it uses, may give another answer itself in other surroundings."""
    parts = [part for statement in suite.closure(test) for part in ast.walk(statement)]
    names = {name for statement in suite.closure(test) for name in names_in(statement)}
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return (
        not names.isdisjoint(AROUND)
        or any(isinstance(part, ast.Set | ast.SetComp) for part in parts)
        or any(map(_is_place, texts))
    )


def identity_reads(brief: Brief) -> tuple[str, ...]:
    """Every such place of the implementation of which no claim speaks: `impl.py:3 os.getuid`."""
    told = " ".join(claim.text for claim in brief.ticket.claims)
    return tuple(
        f"{one.module.path}:{line} {what}"
        for one in brief.modules
        for line, what in sorted(set(_reads(one.source)))
        if not re.search(_speaks_of(what), told, re.IGNORECASE)
    )


def _speaks_of(what: str) -> str:
    return READS.get(what) or next(words for start, words in PLACES.items() if _is_below(what, start))


def _reads(source: str) -> Iterator[tuple[int, str]]:
    tree = parsed_or_none(source)
    if tree is None:
        return
    names = Resolution(tree)
    silent = {id(part.value) for part in ast.walk(tree) if isinstance(part, ast.Expr)}  # docstrings
    for statement in tree.body:
        seen = names.within(statement)
        for node in ast.walk(statement):
            match node:
                case ast.Name() | ast.Attribute() if (dotted := seen.dotted(node)) in READS:
                    yield node.lineno, dotted
                case ast.Attribute(attr=name) if name in READS:
                    yield node.lineno, name
                case ast.Constant(value=str(text)) if id(node) not in silent and _is_place(text):
                    yield node.lineno, text


def _is_place(text: str) -> bool:
    return any(_is_below(text, start) for start in PLACES)


def _is_below(path: str, start: str) -> bool:
    return path == start or path.startswith(f"{start}/")
