"""The way to a container engine, and what its failures mean."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

import docker
import requests
import urllib3
from docker.errors import APIError, DockerException, ImageNotFound
from docker.utils import kwargs_from_env

from refute.errors import EngineDied, EngineUnavailable, ImageMissing, SandboxFailed

REQUEST_TIMEOUT_S: Final = 60.0

START_HINT: Final = (
    "Start Docker (`make engine` on Debian/Ubuntu, `systemctl start docker`, Docker Desktop) or set DOCKER_HOST "
    "to where an engine listens; `refute doctor` says more."
)
PERMISSION_HINT: Final = "Run as root or join the group that owns the engine's socket (usually `docker`)."
IMAGE_HINT: Final = "Build it: `refute image build`."

LOST: Final = (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError, ConnectionError, TimeoutError)
"""What a connection to an engine that went away raises."""

REFUSED: Final = {HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """What an engine says about itself, as far as the sandbox depends on it."""

    name: str
    """Name and version."""
    runtime: str
    """What runs containers: the engine's default, or what `choose` named."""
    cpus: float
    memory_limit: bool
    pids_limit: bool
    seccomp: bool
    runtimes: tuple[str, ...] = ()
    """All that the engine has, sorted."""

    def choose(self, runtime: str) -> "EngineFacts":
        """The same engine with another runtime; empty keeps its default.

        Raises:
            SandboxFailed: the engine has no such runtime.
        """
        if not runtime or runtime == self.runtime:
            return self
        if runtime not in self.runtimes:
            raise SandboxFailed(
                f"{self.name} has no runtime {runtime!r}; it has {', '.join(self.runtimes) or 'none that it names'}",
                hint="Install it and register it with the engine (dockerd --add-runtime); `refute doctor` says more.",
            )
        return replace(self, runtime=runtime)

    def require_limits(self) -> None:
        """Refuse an engine that would not enforce what the profile claims.

        Raises:
            SandboxFailed: naming what is missing.
        """
        required = {"memory limit": self.memory_limit, "pids limit": self.pids_limit, "seccomp": self.seccomp}
        missing = [name for name, there in required.items() if not there]
        if missing:
            raise SandboxFailed(
                f"{self.name} does not enforce {', '.join(missing)}; the sandbox needs all of it",
                hint="Use an engine with cgroup delegation and seccomp: rootful Docker, or rootless on cgroup v2.",
            )


class EngineClient(docker.APIClient):
    """docker-py's client, plus reading an archive under a time limit."""

    def open_archive(self, container: str, path: str) -> requests.Response:
        """The tar of a path in a container, as an open response; every read has the client's time limit.

        `APIClient.get_archive` switches the time limit off, so an engine that hangs would hang us.
        """
        client: Any = self  # the stubs leave out what docker-py keeps for its subclasses
        url = client._url("/containers/{0}/archive", container)  # noqa: SLF001 (as above)
        headers = {"Accept-Encoding": "identity"}
        response: requests.Response = client._get(  # noqa: SLF001 (as above)
            url, params={"path": path}, headers=headers, stream=True
        )
        client._raise_for_status(response)  # noqa: SLF001 (as above)
        return response


def connect(host: str | None = None) -> EngineClient:
    """A connection to the engine of DOCKER_HOST, or the local default.

    Args:
        host: overrides DOCKER_HOST.

    Raises:
        EngineUnavailable: nothing answers there, with what to do.
    """
    try:
        options = kwargs_from_env()
        if host is not None:
            options["base_url"] = host
        return EngineClient(version="auto", timeout=int(REQUEST_TIMEOUT_S), **options)
    except (DockerException, OSError, ValueError) as error:
        denied = "Permission denied" in str(error)
        raise EngineUnavailable(
            f"no container engine answers at {host or _default_host()}: {_root_cause(error)}",
            hint=PERMISSION_HINT if denied else START_HINT,
        ) from error


def is_on_this_machine(client: docker.APIClient) -> bool:
    """Whether the engine listens on a socket of this machine; one that is forwarded from elsewhere looks the same."""
    return str(client.base_url).startswith("http+docker://local")  # docker-py's own names of Unix sockets and pipes


def read_facts(client: EngineClient) -> EngineFacts:
    """Ask the engine what it is and what it enforces (one request, about 10 ms)."""
    info = client.info()
    return EngineFacts(
        name=f"docker {info.get('ServerVersion', 'unknown')}",
        runtime=str(info.get("DefaultRuntime", "")),
        cpus=float(info.get("NCPU", 1)),
        memory_limit=bool(info.get("MemoryLimit")),
        pids_limit=bool(info.get("PidsLimit")),
        runtimes=tuple(sorted(info.get("Runtimes") or ())),
        seccomp=any("seccomp" in option for option in info.get("SecurityOptions") or ()),
    )


@contextlib.contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Turn the client's exceptions into ours.

    Args:
        doing: what was being done, for the message: `create the container`.

    Raises:
        ImageMissing, EngineDied, SandboxFailed: by what went wrong.
    """
    try:
        yield
    except ImageNotFound as error:
        raise ImageMissing(f"the sandbox image is not on the engine: {error.explanation}", hint=IMAGE_HINT) from error
    except APIError as error:
        raise SandboxFailed(f"the engine could not {doing}: {error.explanation or error}") from error
    except (*LOST, DockerException) as error:
        raise EngineDied(
            f"the engine stopped answering while it was asked to {doing}: {_root_cause(error)}", hint=START_HINT
        ) from error


def is_refusal(error: SandboxFailed) -> bool:
    """Whether the engine rejected the request itself, as it will again: a bad one, or one that a policy forbids."""
    cause = error.__cause__
    return isinstance(cause, APIError) and cause.status_code in REFUSED


def _default_host() -> str:
    options = kwargs_from_env()
    return str(options.get("base_url") or "unix:///var/run/docker.sock")


def _root_cause(error: BaseException) -> str:
    """The innermost message: docker-py wraps requests wraps urllib3 wraps the one that matters."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return str(error) or type(error).__name__
