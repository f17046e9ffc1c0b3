"""Gemini over google-genai, on the enterprise endpoint only. One call is one request: retries belong to who pays."""

import contextlib
import functools
import math
import ssl
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from refute.errors import ModelUnavailable
from refute.llm.enterprise import GeminiSettings, is_loopback
from refute.llm.model import Ending, Prompt, Reply, Tier, Usage
from refute.llm.request import RETRIED, RequestFailed

if TYPE_CHECKING:
    from google.auth.credentials import Credentials
    from google.genai import Client
    from google.genai.types import GenerateContentResponse

SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
TOKEN_TIMEOUT_S: Final = 10
"""Of asking for an access token; it takes from the half minute that a settlement may be late."""
MAX_MESSAGE_CHARS: Final = 300
MAX_TOKENS: Final = 10**9
"""More than any model reads or writes for one request; what claims more is no count."""
MAX_RETRY_AFTER_S: Final = 120.0
TRUNCATED: Final = "MAX_TOKENS"
HARMLESS: Final = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", ""})


class Gemini:
    """A connection to the models of one project.

    Args:
        settings: where, and which models.
        credentials: by default Google's application-default credentials of the environment.
    """

    def __init__(self, settings: GeminiSettings, *, credentials: "Credentials | None" = None) -> None:
        self.settings = settings
        self._given = credentials

    def connect(self) -> None:
        """Make the client ready, which takes up to a second; else the first request does, and seems to take longer.

        Raises:
            ModelUnavailable: no credentials.
        """
        _ = self._client

    def count_tokens(self, text: str, tier: Tier) -> int:
        """Tokens of a text as a model counts them; costs nothing. It is sent like a prompt, so never one of a ticket.

        Raises:
            RequestFailed: no answer.
            ModelUnavailable: no credentials.
        """
        client = self._client
        with self._request():
            counted = client.models.count_tokens(model=self.settings.models.of(tier), contents=text)
        if counted.total_tokens is None:
            raise RequestFailed("the token count came without a number", billed=False, retry=False)
        return counted.total_tokens

    def send(self, prompt: Prompt) -> Reply:
        """Send a prompt once. No tools, no grounding, no cached content: nothing that keeps data elsewhere.

        Raises:
            RequestFailed: no reply, or not all of it within the settings' time-out.
            ModelUnavailable: no credentials.
        """
        client, sealed = self._client, prompt.sealed()
        with self._request():
            response = client.models.generate_content(
                model=self.model_of(prompt),
                contents=sealed.text,
                config={
                    "system_instruction": sealed.system,
                    "max_output_tokens": prompt.max_output_tokens,
                    "candidate_count": 1,
                    "seed": prompt.sample,
                    "response_mime_type": "application/json",
                    "response_json_schema": dict(prompt.answer_schema),
                },
            )
            return _read(response, self.model_of(prompt), local_server=self.settings.base_url or "")

    def model_of(self, prompt: Prompt) -> str:
        """Id of the model that a prompt goes to."""
        return self.settings.models.of(prompt.tier)

    @contextlib.contextmanager
    def _request(self) -> Iterator[None]:
        """One request, with a token that is still good, in the time that it may take in all."""
        from google.auth.transport.requests import Request  # noqa: PLC0415  # slow, and only needed here

        from refute.deadline import within  # noqa: PLC0415  # as above

        with _told():
            if not self.credentials.valid:
                self.credentials.refresh(functools.partial(Request(), timeout=TOKEN_TIMEOUT_S))  # type: ignore[no-untyped-call]
            with within(self.settings.timeout_s):
                yield

    @cached_property
    def credentials(self) -> "Credentials":
        """What requests are signed with.

        Raises:
            ModelUnavailable: the environment has none.
        """
        if self._given is not None:
            return self._given
        import google.auth  # noqa: PLC0415  # slow, and only needed here
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

        try:
            found, _ = google.auth.default(scopes=[SCOPE])
        except GoogleAuthError as error:
            raise ModelUnavailable(
                f"Gemini: no credentials in the environment: {error}",
                hint="Run `gcloud auth application-default login`, or point GOOGLE_APPLICATION_CREDENTIALS to a "
                "service account's file.",
            ) from error
        credentials: Credentials = found
        return credentials

    @cached_property
    def _client(self) -> "Client":
        import httpx2  # noqa: PLC0415  # comes with google-genai, and is its transport
        from google import genai  # noqa: PLC0415  # a second of imports that most commands do not need

        from refute.deadline import punctual  # noqa: PLC0415  # as above

        settings = self.settings
        # One for all transports: the client would read the system's certificates three times. Loopback trusts none.
        tls = httpx2.create_ssl_context() if settings.base_url is None else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # A redirect could carry the prompt to another host; proxies of the environment have no business with loopback.
        transport = punctual(httpx2.Client(verify=tls, follow_redirects=False, trust_env=settings.base_url is None))
        return genai.Client(
            enterprise=True,
            project=settings.project,
            location=settings.location,
            credentials=self.credentials,
            http_options=genai.types.HttpOptions(
                base_url=settings.base_url,
                timeout=math.ceil(settings.timeout_s * 1000),
                retry_options=genai.types.HttpRetryOptions(attempts=1),
                httpx_client=transport,
                async_client_args={"verify": tls, "ssl": tls},
            ),
        )


def endpoint(settings: GeminiSettings) -> str:
    """Address of the project's API, without a path.

    Source: https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, 2026-11-22.
    """
    if settings.base_url is not None:
        if not is_loopback(settings.base_url):
            raise ValueError(f"base_url: got {settings.base_url!r}, expected this machine")
        return settings.base_url.rstrip("/")
    host = "aiplatform" if settings.location == "global" else f"{settings.location}-aiplatform"
    return f"https://{host}.googleapis.com"


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn what google-genai raises into what happened to the request."""
    import httpx2  # noqa: PLC0415  # comes with google-genai, and is its transport
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
    from google.genai import errors  # noqa: PLC0415

    try:
        yield
    except errors.APIError as error:
        status = error.code or 0
        message = f"HTTP {status} {error.status or ''}: {error.message or ''}"[:MAX_MESSAGE_CHARS]
        raise RequestFailed(
            message, billed=False, retry=status in RETRIED, retry_after_s=_retry_after_s(error.response)
        ) from error
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
        raise RequestFailed(f"no connection: {type(error).__name__}", billed=False, retry=True) from error
    except httpx2.TimeoutException as error:
        raise RequestFailed("no whole answer in time (`timeout_s`)", billed=True, retry=True) from error
    except httpx2.HTTPError as error:
        raise RequestFailed(f"the answer was lost: {type(error).__name__}", billed=True, retry=True) from error
    except (errors.UnknownApiResponseError, ValueError, TypeError, AttributeError, RecursionError) as error:
        # Whatever it was, it came with a success status: it may have been billed.
        raise RequestFailed(f"the answer is no answer: {type(error).__name__}", billed=True, retry=True) from error
    except GoogleAuthError as error:
        message = f"credentials were refused: {error}"[:MAX_MESSAGE_CHARS]
        raise RequestFailed(message, billed=False, retry=False) from error


def _retry_after_s(response: Any) -> float | None:
    """Seconds of a Retry-After header; a date in it is not used by this API."""
    value = getattr(response, "headers", {}).get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        return None
    return min(seconds, MAX_RETRY_AFTER_S) if seconds >= 0 else None


def _read(response: "GenerateContentResponse", model: str, *, local_server: str) -> Reply:
    candidate = response.candidates[0] if response.candidates else None
    parts = (candidate.content.parts or []) if candidate and candidate.content else []
    text = "".join(part.text or "" for part in parts if not part.thought)
    reason = _name(candidate.finish_reason) if candidate else _blocked(response)
    if reason == TRUNCATED:
        ending = Ending.TRUNCATED
    elif reason not in HARMLESS:
        ending = Ending.BLOCKED
    else:
        ending = Ending.COMPLETE if text.strip() else Ending.EMPTY
    return Reply(
        ending=ending,
        text=text,
        detail=reason or "no candidate",
        usage=_usage(response),
        model=response.model_version or model,
        local_server=local_server,
    )


def _blocked(response: "GenerateContentResponse") -> str:
    feedback = response.prompt_feedback
    return _name(feedback.block_reason) if feedback and feedback.block_reason else ""


def _name(reason: Any) -> str:
    return str(getattr(reason, "value", reason) or "")


def _usage(response: "GenerateContentResponse") -> Usage:
    """Tokens as the provider counted them (https://ai.google.dev/api/generate-content#UsageMetadata, 2026-11-22).

    The prompt's count includes cached tokens; thinking is not part of the candidates' count.
    """
    counted = response.usage_metadata
    if counted is None:
        raise ValueError("an answer without usage metadata")
    told = (counted.prompt_token_count, counted.candidates_token_count, counted.thoughts_token_count)
    if any((count or 0) > MAX_TOKENS for count in told):
        raise ValueError("a count of tokens that no answer has")
    return Usage(
        input_tokens=(counted.prompt_token_count or 0) + (counted.tool_use_prompt_token_count or 0),
        cached_tokens=min(counted.cached_content_token_count or 0, counted.prompt_token_count or 0),
        output_tokens=counted.candidates_token_count or 0,
        thinking_tokens=counted.thoughts_token_count or 0,
    )
