"""What of a page a person would see: tricks that hide text, and styles that hide nothing."""

import random
import re
import time

import pytest
from lxml import html

from refute.research.page import Unreadable, read_page, visible_text
from refute.research.visibility import drop_hidden

SECRET = "quinces are far better than pears"
HIDING = {
    "hidden attribute": "<p hidden>{}</p>",
    "display none": '<p style="display:none">{}</p>',
    "visibility": '<p style="visibility:hidden">{}</p>',
    "font size 0": '<p style="font-size:0">{}</p>',
    "font shorthand": '<p style="font:0/0 serif">{}</p>',
    "calc": '<p style="font-size:calc(0px + 0em)">{}</p>',
    "off screen": '<p style="position:absolute;left:-9999px">{}</p>',
    "text indent": '<p style="text-indent:-9999px">{}</p>',
    "translated": '<p style="transform:translateX(-9999px)">{}</p>',
    "scaled": '<p style="transform:scale(0)">{}</p>',
    "white on white": '<p style="color:#fff">{}</p>',
    "nearly white": '<div style="background:white"><p style="color:rgb(254 255 253)">{}</p></div>',
    "white on a gradient": '<div style="background:linear-gradient(white,#fefefe)"><p style="color:white">{}</p></div>',
    "font tag": "<font color=white>{}</font>",
    "transparent": '<p style="color:transparent">{}</p>',
    "opacity": '<p style="opacity:0">{}</p>',
    "opacity of a parent": '<div style="opacity:.05"><div><p>{}</p></div></div>',
    "filter": '<p style="filter:opacity(0%)">{}</p>',
    "matrix": '<p style="transform:matrix(0,0,0,0,0,0)">{}</p>',
    "zoom": '<p style="zoom:0.01">{}</p>',
    "letters upon each other": '<p style="letter-spacing:-1em">{}</p>',
    "a height of two pixels": '<p style="max-height:2px;overflow:hidden">{}</p>',
    "just off screen": '<p style="position:absolute;top:-599px">{}</p>',
    "class": '<style>.x{{display:none}}</style><p class="x">{}</p>',
    "media rule": "<style>@media screen {{ p.x {{ opacity: 0 }} }}</style><p class=x>{}</p>",
    "important": "<style>p.x{{display:none!important}}</style><p class=x style='display:block'>{}</p>",
    "selector": "<style>div > p:nth-child(2) ~ p {{visibility:collapse}}</style><div><p>a<p>b<p>{}</div>",
    "variable": "<style>:root{{--h:none}}</style><p style='display:var(--h)'>{}</p>",
    "template": "<template>{}</template>",
    "noscript": "<noscript>{}</noscript>",
    "zero height": '<div style="height:0;overflow:hidden"><p>{}</p></div>',
    "clip path": '<p style="clip-path:inset(100%)">{}</p>',
    "clip": '<p style="position:absolute;clip:rect(0 0 0 0)">{}</p>',
    "closed details": "<details><summary>More</summary><p>{}</p></details>",
    "text of closed details": "<details>{}<summary>More</summary></details>",
    "closed dialog": "<dialog>{}</dialog>",
    "comment": "<!-- {} -->",
    "script": '<script type="application/ld+json">{{"articleBody": "{}"}}</script>',
    "attributes": '<img alt="{0}" title="{0}"><input type=hidden value="{0}">',
}
SHOWN = {
    "white on dark": '<div style="background:#222"><p style="color:#fff">{}</p></div>',
    "white on a dark gradient": '<div style="background:linear-gradient(#000,#333)"><b style="color:#fff">{}</b></div>',
    "visible again": '<div style="visibility:hidden"><p style="visibility:visible">{}</p></div>',
    "large again": '<div style="font-size:0"><p style="font-size:16px">{}</p></div>',
    "overruled": "<style>#a .x{{display:block}} .x{{display:none}}</style><div id=a><p class=x>{}</p></div>",
    "print only": "<style>@media print {{ .x {{display:none}} }}</style><p class=x>{}</p>",
    "hover": "<style>p:hover {{opacity:0}} p::before {{opacity:0}}</style><p>{}</p>",
    "open details": "<details open><summary>More</summary><p>{}</p></details>",
    "aria hidden": '<p aria-hidden="true">{}</p>',
    "small": '<p style="font-size:80%;color:#767676;margin-left:-20px">{}</p>',
    "after a hidden one": "<p><span hidden>x</span> {}</p>",
    "broken rule": "<style>.x{{display:none</style><style>p[{{ }} }} .y {{}}</style><p class=y>{}</p>",
}


def document(body: str) -> str:
    """An article with something in it."""
    told = "Pears keep for twelve weeks in a cool cellar, which is longer than most apples do. " * 8
    article = f"<article><h1>Pears</h1><p>{told}</p>{body}</article>"
    return f"<html><head><title>Pears</title></head><body>{article}</body></html>"


def page(body: str) -> str:
    read = read_page(document(body).encode(), "text/html", "utf-8")
    assert "cool cellar" in read.text
    return read.text


@pytest.mark.parametrize("trick", HIDING)
def test_what_a_person_would_not_see_is_not_read(trick):
    assert SECRET not in page(HIDING[trick].format(SECRET))


def spelt_otherwise(trick: str, chance: random.Random) -> str:
    """The same trick in another spelling, or within another one."""
    ways = (
        lambda: trick.replace("style=", "STYLE="),
        lambda: (
            re.sub(r"([a-z-]+):(?=[^:]*)", lambda match: match[0].upper(), trick) if "<style>" not in trick else trick
        ),
        lambda: re.sub(r":(?!\w+[ ({{])", "/**/:/**/ ", trick) if 'style="' in trick else trick,
        lambda: trick.replace("opacity", "o\\70 acity").replace("display", "d\\69splay"),
        lambda: trick.replace("{}", "<b>{}</b>"),
        lambda: trick.replace("{}", "".join(f"&#{ord(char)};" for char in SECRET)),
        lambda: chance.choice([one for one in HIDING.values() if one.count("{}") == 1]).replace("{}", trick),
        lambda: f"<table><tr><td>{trick}</td></tr></table>",
    )
    return chance.choice(ways)()


@pytest.mark.parametrize("trick", HIDING)
def test_no_spelling_of_a_trick_makes_it_read(trick):
    chance = random.Random(trick)  # noqa: S311  # no secret
    for _ in range(2):
        assert SECRET not in page(
            spelt_otherwise(HIDING[trick], chance)
            .replace("{0}", "{}")
            .replace("{{", "{")
            .replace("}}", "}")
            .replace("{}", SECRET)
        )


@pytest.mark.parametrize("style", SHOWN)
def test_what_a_person_sees_is_read(style):
    root = html.document_fromstring(SHOWN[style].format(SECRET))
    drop_hidden(root)
    assert SECRET in visible_text(root)


def test_what_was_dropped_is_told_with_its_reason():
    source = f'<p>Pears.</p><p style="opacity:0">{SECRET}</p><p>Ap\u200bple</p>'
    read = read_page(source.encode(), "text/html", "utf-8")
    assert [(one.reason, one.sample) for one in read.dropped] == [("invisible characters", ""), ("opacity 0", SECRET)]
    assert read.text.split() == ["Pears.", "Apple"]


@pytest.mark.parametrize(
    "styles",
    [
        "p { color: red }" * 50_000,
        "".join(f".c{number} > p {{}} .c{number} {{ color: red }}" for number in range(3_000))
        + "</style>"
        + "<b></b>" * 8_000,
    ],
)
def test_a_page_with_endless_styles_is_not_read(styles):
    with pytest.raises(Unreadable, match="StylesTooLarge"):
        read_page(document(f"<style>{styles}</style><p hidden>{SECRET}</p>").encode(), "text/html", "utf-8")


def test_variables_that_grow_without_end_cost_nothing():
    grown = "".join(f"--a{number}: var(--a{number + 1}) var(--a{number + 1});" for number in range(40))
    assert SECRET in page(
        f"<style>:root {{ {grown} --a40: red }}</style><p style='color: var(--a0)'>{SECRET} indeed.</p>"
    )
    assert SECRET not in page(
        f"<style>:root {{ --a: var(--b); --b: none }}</style><p style='display: var(--a)'>{SECRET}</p>"
    )
    assert SECRET in page(f"<style>:root {{ --a: var(--a) }}</style><p style='display: var(--a)'>{SECRET} indeed.</p>")


def test_thousands_of_comments_and_scripts_cost_little():
    flood = "<!--[if IE]>x<![endif]--> pears <script>y</script>" * 20_000
    began = time.process_time()
    assert SECRET in page(f"{flood}<p>{SECRET} all the same.</p>")
    assert time.process_time() - began < 20
