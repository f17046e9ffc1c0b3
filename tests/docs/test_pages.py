"""The papers: links and anchors resolve, commands parse by the real parser, tables agree with the code."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import click
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from flows.commands.research import GoalGroup
from flows.program import COMMANDS, HELP, refute
from refute.governance.design.mermaid import read_diagram
from refute.outcome import EXIT_CODES, Status

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples" / "designs").glob("*.md"),
        *(ROOT / "deployments").rglob("*.md"),
    ]
)
NOT_HERE: Final = frozenset(
    {
        "apt-get",
        "cat",
        "cd",
        "docker",
        "export",
        "gcloud",
        "git",
        "mkdir",
        "sed",
        "kubectl",
        "openssl",
        "prefect",
        "psql",
        "source",
        "sudo",
    }
)
"""Programs of others, by their first word: what they do is not for us to check."""
READER: Final = MarkdownIt("commonmark").enable("table")
NAMED: Final = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def tokens(page: Path) -> list[Token]:
    return READER.parse(page.read_text(encoding="utf-8"))


def inline(page: Path) -> Iterator[Token]:
    return (child for token in tokens(page) if token.type == "inline" for child in token.children or ())


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of headings, as GitHub names them."""
    stream = tokens(page)
    texts = [stream[index + 1] for index, token in enumerate(stream) if token.type == "heading_open"]
    plain = ("".join(child.content for child in text.children or ()) for text in texts)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in plain}


@NAMED
def test_every_relative_link_and_anchor_resolves(page):
    broken = []
    for token in inline(page):
        target = token.attrs.get("href") or token.attrs.get("src")
        if not isinstance(target, str) or re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or not file.is_relative_to(ROOT) or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_the_index_links_every_page():
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / str(token.attrs["href"])).resolve() for token in inline(index) if token.attrs.get("href")}
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs") and "adr" not in page.parts} - {index}
    assert pages - linked == set()
    assert "docs/index.md" in (ROOT / "README.md").read_text()


def lines_of(page: Path) -> Iterator[str]:
    """Command lines of a page's blocks, without what follows a comment, pipe or redirection.

    In a block without a language only lines that call refute count: others show output, or files.
    """
    for token in tokens(page):
        if token.type != "fence" or token.info.strip() not in {"", "sh", "bash"}:
            continue
        for whole in token.content.replace("\\\n", " ").splitlines():
            line = re.split(r"\s+(?:#|\||&&|2?>)|\s{2,}", whole.strip().removeprefix("$ "))[0]
            if token.info.strip() or line.startswith("refute "):
                yield line


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words call, and its arguments."""
    command: click.Command = refute
    rest = [word for word in words if word != "--debug"]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(click.Context(command), rest[0])
        if found is None and isinstance(command, GoalGroup):
            found, rest = command.get_command(click.Context(command), "run"), ["run", *rest]
        assert found is not None, f"no command {rest[0]!r}"
        command, rest = found, rest[1:]
    return command, rest


def parsed(words: list[str]) -> None:
    """Parse a whole command line; raises where the real parser would."""
    command, rest = command_of(words)
    if not isinstance(command, click.Group):
        command.make_context("refute", rest)


def fault(line: str) -> str:
    """Why a command line does not run; empty where it does, or is another program's."""
    words = shlex.split(line, comments=True)
    while words and re.match(r"[A-Z_]+=", words[0]):
        del words[0]
    known = False
    match [words[0].removeprefix(".venv/bin/"), *words[1:]] if words else []:
        case ["refute", *rest]:
            try:
                parsed(rest)
            except (click.UsageError, AssertionError) as error:
                return f"{line}: {error}"
            known = True
        case ["make", target, *_]:
            known = re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
        case ["python", "-m", module, *_]:
            known = importlib.util.find_spec(module) is not None
        case ["python", file, *_]:
            known = (ROOT / file).is_file() or "<" in file
        case [file, *_] if file.startswith("scripts/"):
            known = (ROOT / file).is_file()
        case [program, *_]:
            known = program in NOT_HERE
        case _:
            known = True
    return "" if known else line


@NAMED
def test_every_command_line_parses_or_is_another_programs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert list(filter(None, map(fault, lines_of(page)))) == []


@NAMED
def test_every_command_and_option_in_running_text_exists(page):
    wrong = []
    for token in inline(page):
        if token.type != "code_inline" or not token.content.startswith("refute "):
            continue
        words = re.sub(r"[…|].*", "", token.content).split()[1:]
        try:
            command, rest = command_of([word for word in words if re.fullmatch(r"[a-z]+|-.*|[A-Z_.]+", word)])
        except AssertionError as error:
            wrong.append(f"{token.content}: {error}")
            continue
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {
            "--help",
            "--version",
        }
        wrong += [
            f"{token.content}: {word}" for word in rest if word.startswith("--") and word.split("=")[0] not in known
        ]
    assert wrong == []


def test_every_command_of_the_help_is_in_the_papers():
    text = "".join(page.read_text() for page in PAGES)
    assert [name for name in COMMANDS if f"refute {name}" not in text] == []


def test_every_option_has_help():
    def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            for one in command.list_commands(click.Context(command)):
                found = command.get_command(click.Context(command), one)
                assert found is not None
                yield from commands(found, f"{name} {one}")
        else:
            yield name, command

    lacking = [
        f"{name} {option.opts[0]}"
        for name, command in commands(refute, "refute")
        for option in command.params
        if isinstance(option, click.Option) and not option.help and option.opts[0] != "--format"
    ]
    assert lacking == []


def test_exit_codes_agree_in_code_help_and_readme():
    readme = dict(re.findall(r"^\| (\d+) \| `(\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    for code, name in readme.items():
        status = Status(name) if name in list(Status) else next(one for one in Status if one.startswith(name))
        assert EXIT_CODES[status] == int(code)
    told = {int(code): name for code, name in re.findall(r"(\d+) ([A-Z_]+)", HELP)}
    assert {code for status, code in EXIT_CODES.items() if code} <= told.keys()
    assert (told[17], told[0]) == ("SKIPPED", "PASS")


@NAMED
def test_every_diagram_parses(page):
    for token in tokens(page):
        if token.type == "fence" and token.info == "mermaid":
            diagram = read_diagram(token.content)
            assert (diagram.is_read, diagram.faults, list(diagram.lonely)) == (True, [], [])


def test_the_page_of_licences_is_that_of_the_lock():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import licences
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    rows = licences.PAGE.read_text().splitlines()
    for name, version in licences.locked():
        row = next((one for one in rows if one.startswith(f"| {name} | {version} | ")), "")
        assert row, "run: .venv/bin/python scripts/licences.py"
        if licences.licence_of(name) is not None and "not installed" not in row:
            assert row == licences.row(name, version)


def test_the_licence_of_the_tree_is_that_of_the_metadata():
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()
    assert "Apache License" in (ROOT / "LICENSE").read_text()
