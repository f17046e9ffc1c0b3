"""Any endpoint that speaks the OpenAI chat protocol; it gets public pages alone, never anything of a ticket.

Source: https://platform.openai.com/docs/api-reference/chat/create, 2026-11-24.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from refute.deadline import punctual, within
from refute.errors import ModelUnavailable, SettingsInvalid
from refute.llm.enterprise import is_loopback
from refute.llm.model import DataClass, Ending, Prompt, Reply, Usage
from refute.llm.request import RETRIED, RequestFailed

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion

MAX_MESSAGE_CHARS: Final = 300
MAX_TOKENS: Final = 10**9
ENDINGS: Final = {"stop": Ending.COMPLETE, "length": Ending.TRUNCATED, "content_filter": Ending.BLOCKED}
HINT: Final = "Set OPENAI_API_KEY, OPENAI_BASE_URL where it is not OpenAI's own, and research.openai_model."


class OpenAISettings(BaseModel):
    """How the endpoint is called; address and key come from the environment, as its own client has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Annotated[str, Field(min_length=1, max_length=100)]
    api_key: SecretStr
    base_url: str | None = None
    """None: OpenAI's own."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 60
    attempts: Annotated[int, Field(ge=1, le=10)] = 4
    allow_unpriced: bool = False
    project: str = ""

    @classmethod
    def read(cls, model: str, *, allow_unpriced: bool) -> Self:
        """From the environment.

        Raises:
            SettingsInvalid: key or model is missing.
        """
        key, url = os.environ.get("OPENAI_API_KEY", ""), os.environ.get("OPENAI_BASE_URL") or None
        if not key or not model:
            missing = "OPENAI_API_KEY" if not key else "research.openai_model"
            raise SettingsInvalid(f"the OpenAI endpoint needs {missing}, which is not set", hint=HINT)
        return cls(model=model, api_key=SecretStr(key), base_url=url, allow_unpriced=allow_unpriced)


class OpenAIChat:
    """A connection to one model.

    Args:
        settings: where, and which.
    """

    def __init__(self, settings: OpenAISettings) -> None:
        self.settings = settings

    def model_of(self, prompt: Prompt) -> str:
        """The model; it has one for every tier."""
        del prompt
        return self.settings.model

    def send(self, prompt: Prompt) -> Reply:
        """Send a prompt once.

        Raises:
            RequestFailed: no reply, or not all of it within time and size.
            ModelUnavailable: the prompt holds more than public pages, or the `openai` package is missing.
        """
        if prompt.data_class is not DataClass.WEB:
            raise ModelUnavailable(f"the OpenAI endpoint gets public pages alone, got {prompt.data_class}")
        sealed, client = prompt.sealed(), self._client
        schema = json.dumps(dict(prompt.answer_schema))
        with _told(), within(self.settings.timeout_s):
            answer = client.chat.completions.create(
                model=self.settings.model,
                messages=[
                    {
                        "role": "system",
                        "content": f"{sealed.system}\nAnswer with one JSON object of this schema: {schema}",
                    },
                    {"role": "user", "content": sealed.text},
                ],
                max_completion_tokens=prompt.max_output_tokens,
                seed=prompt.sample,
                response_format={"type": "json_object"},
            )
            return self._read(answer)

    def _read(self, answer: "ChatCompletion") -> Reply:
        choice, counted = answer.choices[0], answer.usage
        if counted is None:
            raise ValueError("an answer without usage")
        text = choice.message.content or ""
        ending = ENDINGS.get(choice.finish_reason, Ending.COMPLETE)
        url = self.settings.base_url or ""
        return Reply(
            ending=Ending.EMPTY if ending is Ending.COMPLETE and not text.strip() else ending,
            text=text,
            detail=choice.finish_reason,
            usage=Usage(input_tokens=_count(counted.prompt_tokens), output_tokens=_count(counted.completion_tokens)),
            model=answer.model or self.settings.model,
            local_server=url if is_loopback(url) else "",
        )

    @cached_property
    def _client(self) -> "OpenAI":
        try:
            import httpx2  # noqa: PLC0415  # slow, and only needed here
            from openai import OpenAI  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise ModelUnavailable(
                "the OpenAI endpoint needs the package openai", hint="Install it: pip install 'refute[openai]'"
            ) from error
        # A redirect could carry the prompt elsewhere; proxies of the environment have no business with this machine.
        local = is_loopback(self.settings.base_url or "")
        transport = punctual(httpx2.Client(follow_redirects=False, trust_env=not local))
        return OpenAI(
            api_key=self.settings.api_key.get_secret_value(),
            base_url=self.settings.base_url,
            max_retries=0,
            timeout=self.settings.timeout_s,
            http_client=transport,
        )


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn what the client raises into what happened to the request."""
    import httpx2  # noqa: PLC0415  # as above
    import openai  # noqa: PLC0415

    try:
        yield
    except openai.APITimeoutError as error:
        raise RequestFailed("no whole answer in time", billed=True, retry=True) from error
    except openai.APIConnectionError as error:
        raise RequestFailed(f"no connection: {type(error.__cause__).__name__}", billed=False, retry=True) from error
    except openai.APIStatusError as error:
        message = f"HTTP {error.status_code}: {error.message}"[:MAX_MESSAGE_CHARS]
        raise RequestFailed(message, billed=False, retry=error.status_code in RETRIED) from error
    except httpx2.HTTPError as error:
        raise RequestFailed(f"the answer was lost: {type(error).__name__}", billed=True, retry=True) from error
    except (openai.OpenAIError, ValueError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise RequestFailed(f"the answer is no answer: {type(error).__name__}", billed=True, retry=True) from error


def _count(value: int) -> int:
    """Tokens as the endpoint counted them."""
    if not 0 <= value <= MAX_TOKENS:
        raise ValueError(f"got {value} tokens")
    return value
