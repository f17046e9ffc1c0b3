"""The page of `refute research ui`: goal and URLs in, both modes side by side. Run by Streamlit, never imported."""

from typing import Final
from uuid import uuid4

import streamlit as st

from refute.errors import RefuteError
from refute.evaluation.attacks import attack_cases
from refute.evaluation.trials import try_case
from refute.guardrails.gates import Gates
from refute.guardrails.plain_text import printable
from refute.ports import Ports, audit_log
from refute.research.connect import connect_reader, research
from refute.research.fetching import WebFetcher
from refute.research.harness import Effects
from refute.research.record import Findings, Goal, Mode
from refute.research.settings import ReaderName
from refute.settings import Settings
from reports.research import told

OWN: Final = "pages of yours"
MODES: Final = (Mode.VULNERABLE, Mode.DEFENDED)
SHOWN_CHARS: Final = 4_000


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="refute research", layout="wide")
    st.title("Research on pages that nobody trusts")
    st.caption("The same pages, the same model: once whatever a page asks for is done, once nothing of it.")
    settings = Settings.load()
    cases = {case.id: case for case in attack_cases()}
    names = [OWN, *cases]
    linked = st.query_params.get("case", OWN)  # ?case=redirect
    first = names.index(linked) if linked in names else 0
    chosen = st.selectbox("Pages", names, index=first, help="Pages of yours, or an attack that comes with refute.")
    with st.form("research"):
        case = cases.get(chosen)
        goal = st.text_input("Goal", value=case.goal.text if case else "", disabled=case is not None)
        urls = st.text_area(
            "URLs, one a line", value="\n".join(case.goal.urls) if case else "", disabled=case is not None
        )
        if case:
            st.text_area("What the attacking page says", value=printable(case.payload), disabled=True)
        started = st.form_submit_button("Read the pages", type="primary")
    if not started:
        return
    for column, mode in zip(st.columns(2), MODES, strict=True):
        with column:
            try:
                findings = (
                    try_case(case, mode, audit_log(settings)).findings if case else _read(goal, urls, settings, mode)
                )
            except RefuteError as error:
                st.error(printable(str(error)))
            else:
                _show(findings)


def _read(goal: str, urls: str, settings: Settings, mode: Mode) -> Findings:
    """The pages, read here and now: the same gates, budgets and audit log as the command, without a Prefect run."""
    if mode is Mode.VULNERABLE:  # a page commands no real model from here
        settings = settings.model_copy(
            update={"research": settings.research.model_copy(update={"model": ReaderName.SCRIPTED})}
        )
    ports = Ports(settings, f"ui-{uuid4()}")
    wanted = Goal(text=goal.strip(), urls=tuple(urls.split()))
    if not wanted.text or not wanted.urls:
        raise RefuteError("Goal and at least one URL are needed.")
    effects = Effects(
        fetcher=WebFetcher(),
        model=connect_reader(settings, ports.run_id, ledger=lambda: ports.ledger, audit=ports.audit),
        gates=Gates(audit=ports.audit, run_id=ports.run_id, modes=settings.guardrails),
    )
    return research(wanted, settings, mode, effects)


def _show(findings: Findings) -> None:
    """What a page or a model wrote is drawn as plain text: Markdown would make links of bare addresses."""
    st.subheader("Defended" if findings.mode is Mode.DEFENDED else "Vulnerable")
    for heading, lines in told(findings):
        st.markdown(f"**{heading}**")
        for line in lines or ["none"]:
            st.text(printable(line, max_chars=SHOWN_CHARS) or "none")
    for one in findings.citations if findings.mode is Mode.DEFENDED else ():
        st.link_button(f"Open source {one.number}", one.url)


main()
