"""What can be asked about data retention before anything is sent, and what cannot.

Vertex AI keeps nothing of a prompt when three things hold: the project's data caching is disabled; no grounding,
session or context cache is used; prompts are not logged for abuse monitoring (exempt by invoiced billing or by an
exception). The first is asked here, the second is a property of our requests, the third only Google can tell.

Source: https://cloud.google.com/vertex-ai/generative-ai/docs/data-governance, 2026-11-22.
"""

from dataclasses import dataclass
from typing import Final

from refute.errors import ModelUnavailable
from refute.guardrails.audit import AuditLog, Decision, Gate, Metadata
from refute.llm.gemini import Gemini, endpoint

TIMEOUT_S: Final = 20
OK: Final = 200
UNASKED: Final = (
    "Abuse monitoring may log prompts unless the project is on invoiced billing or has an exception: ask for one at "
    "https://cloud.google.com/vertex-ai/generative-ai/docs/learn/abuse-monitoring"
)
"""What stays to be settled by a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """The answer of the preflight."""

    caching_disabled: bool
    detail: str
    """In words, with what to do where something is wrong."""


def ask_retention(gemini: Gemini) -> Retention:
    """Ask whether the project's data caching is off.

    Raises:
        ModelUnavailable: the question got no answer.
    """
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415  # slow, and only needed here
    from google.auth.transport.requests import AuthorizedSession  # noqa: PLC0415
    from requests import RequestException  # noqa: PLC0415

    settings = gemini.settings
    session = AuthorizedSession(gemini.credentials)  # type: ignore[no-untyped-call]
    session.trust_env = settings.base_url is None
    path = f"projects/{settings.project}/cacheConfig"
    try:
        with session:
            answer = session.get(f"{endpoint(settings)}/v1beta1/{path}", timeout=TIMEOUT_S, allow_redirects=False)
            config = answer.json() if answer.status_code == OK else None
    except (GoogleAuthError, RequestException, ValueError) as error:
        raise ModelUnavailable(
            f"Gemini: {path} could not be read: {error}", hint="Check network and credentials: refute doctor."
        ) from error
    if not isinstance(config, dict):
        raise ModelUnavailable(
            f"Gemini: {path} could not be read: HTTP {answer.status_code}",
            hint="The account needs the permission aiplatform.cacheConfigs.get on the project.",
        )
    if config.get("disableCache") is True:
        return Retention(caching_disabled=True, detail=f"data caching is disabled for project {settings.project}")
    return Retention(
        caching_disabled=False,
        detail=f"data caching is on for project {settings.project}: answers may be kept for 24 hours. Disable it: "
        f"PATCH {endpoint(settings)}/v1beta1/{path} with "
        f'{{"name": "{path}", "disableCache": true}}',
    )


def require_zero_retention(gemini: Gemini, audit: AuditLog, *, run_id: str) -> None:
    """Let nothing be sent unless the project keeps nothing, as far as that can be asked; audited.

    Raises:
        ModelUnavailable: it keeps something, or does not say.
    """
    facts: Metadata = {"project": gemini.settings.project, "local_server": gemini.settings.base_url is not None}
    try:
        found = ask_retention(gemini)
    except ModelUnavailable as error:
        audit.record(Gate.RETENTION, Decision.DENY, run_id=run_id, reason=error.message, metadata=facts)
        raise
    decision = Decision.ALLOW if found.caching_disabled else Decision.DENY
    audit.record(Gate.RETENTION, decision, run_id=run_id, reason=found.detail, metadata=facts)
    if not found.caching_disabled:
        raise ModelUnavailable(f"Gemini: {found.detail}", hint="Nothing was sent. Then run it again.")
