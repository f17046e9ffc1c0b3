"""What the harness does not stop, as docs/research.md says: each with a test, so that the page stays true."""

from dataclasses import replace

from refute.research.page import read_page
from tests.refute.research.conftest import GOAL, URLS, SaidModel, answer, pages, run

ONE = replace(GOAL, urls=URLS[:1])


def test_a_page_that_lies_is_cited_for_its_lie():
    lie = "Conference pears keep for about 900 weeks in a cool cellar."
    findings, _ = run(pages(f"<p>{lie}</p>"), SaidModel(lambda _: answer(lie, lie)), goal=ONE)
    assert findings.key_points[0].text == lie
    assert findings.citations


def test_a_leak_in_the_pages_own_words_passes():
    told = "Somebody asks for how many weeks pears stay fresh under ground."
    findings, _ = run(pages(f"<p>{told}</p>"), SaidModel(lambda _: answer(told, told)), goal=ONE)
    assert findings.key_points[0].text == told


def test_what_another_style_sheet_or_an_overlay_hides_is_read():
    link = '<link rel="stylesheet" href="/hide.css"><p class="gone">Pears are hidden by a sheet of another address.</p>'
    cover = '<div style="position:absolute;inset:0;background:white"></div>'
    over = f'<div style="position:relative"><p>Pears lie under this.</p>{cover}</div>'
    read = read_page((link + over).encode(), "text/html", "utf-8")
    assert "another address" in read.text
    assert "lie under this" in read.text


def test_a_reader_that_a_page_takes_over_can_keep_silent_about_that_page():
    said = {"summary": "", "key_points": [], "citations": []}
    findings, _ = run(pages("<p>Conference pears keep for about 12 weeks.</p>"), SaidModel(lambda _: said), goal=ONE)
    assert (findings.summary, findings.key_points) == ("", ())


def test_passages_that_agree_in_no_word_are_not_compared():
    left, right = "The limit for each client is 100 requests.", "Callers are throttled beyond 5 calls."
    first, second = f"<p>{left}</p>", f"<p>{right}</p>"

    def say(prompt: object) -> object:
        text = left if left in getattr(prompt, "text", "") else right
        return answer(text, text)

    findings, _ = run(pages(first, second), SaidModel(say))
    assert not any("disagree" in note for note in findings.notes)
