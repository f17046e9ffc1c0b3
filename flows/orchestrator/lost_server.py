"""A Prefect server that goes while a run uses it: Prefect gives it up, and the run goes on with ledger and terminal.

Left alone, Prefect's client tries each request for a minute, and its senders of events and logs hold the process at the
end of the run and once more at its exit: two minutes after the outcome is recorded (measured with 3.8.8).
"""

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from flows.orchestrator.server import answers

LOOK_S: Final = 1.0
"""How often a run looks whether its server is there."""
GONE_S: Final = 2.0
"""For so long a server refuses before it counts as lost: with `LOOK_S` before the client's third try of a request."""
AGAIN_S: Final = 0.5
HANDED_OUT_S: Final = 1.0
"""After so long nobody is about to use what he was handed before."""
SLOW_S: Final = 15.0
"""For so long one that takes a connection may be silent: a busy machine is no lost server."""


def is_lost(api_url: str, *, slow_s: float = SLOW_S, gone_s: float = GONE_S) -> bool:
    """Whether a server does not answer: refused again and again, or silent. Known after `gone_s`, or `slow_s`.

    Args:
        api_url: of its API.
        slow_s: how long an answer may take, in seconds.
        gone_s: how long it is asked again where it refuses, in seconds.
    """
    began = time.monotonic()
    while not answers(api_url, timeout_s=slow_s):
        if time.monotonic() - began >= gone_s:
            return True
        time.sleep(AGAIN_S)
    return False


@contextlib.contextmanager
def given_up_when_lost(api_url: str, *, say: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, watch the server: Prefect does not try it from when it is lost until it answers again.

    Args:
        api_url: of the server. Prefect's settings are those of this block alone (`temporary_settings`).
        say: is told of the loss and of the return, from a thread.
    """
    from prefect.context import get_settings_context
    from prefect.logging.handlers import set_api_log_sink

    over = threading.Event()
    watched = (api_url, get_settings_context().settings, over, say)
    watcher = threading.Thread(target=_watch, args=watched, name="lost server", daemon=True)
    set_api_log_sink(_quiet_log())
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        set_api_log_sink(None)


def _watch(api_url: str, settings: Any, over: threading.Event, say: Callable[[str], None]) -> None:
    while not over.wait(LOOK_S):
        if is_lost(api_url):
            say(f"the Prefect server at {api_url} stopped answering; going on without it")
            with given_up(settings):
                while not over.wait(LOOK_S) and not answers(api_url, timeout_s=LOOK_S):
                    pass
            if not over.is_set():
                say(f"the Prefect server at {api_url} answers again")


def _quiet_log() -> Callable[[dict[str, Any]], None]:
    """What sends a run's log as Prefect does, but drops what cannot be sent without raw lines between ours."""
    import httpx
    from prefect.logging.handlers import APILogWorker

    class Quiet(APILogWorker):
        async def _handle_batch(self, items: list[dict[str, Any]]) -> None:
            with contextlib.suppress(httpx.HTTPError):
                await self._client.create_logs(items)

    def send(log: dict[str, Any]) -> None:
        with contextlib.suppress(RuntimeError):  # the server was given up at this very moment
            Quiet.instance().send(log)

    return send


@contextlib.contextmanager
def given_up(settings: Any) -> Iterator[None]:
    """While the block runs, Prefect does nothing for its server but try each request once; what waited is dropped.

    Args:
        settings: Prefect's, of the run. They are changed in place: all its threads have them, also those that wait
            between two tries.
    """
    from prefect._internal.concurrency.threads import get_global_loop
    from prefect.events.clients import NullEventsClient
    from prefect.events.worker import EventsWorker

    client, log = settings.client, settings.logging.to_api
    before = client.max_retries, log.enabled
    client.max_retries, log.enabled = 0, False
    EventsWorker.set_client_override(NullEventsClient)
    loop = get_global_loop().loop
    assert loop is not None  # noqa: S101  # for the type: the thread of a global loop has started
    asyncio.run_coroutine_threadsafe(_end_senders(), loop).result()
    try:
        yield
    finally:
        client.max_retries, log.enabled = before
        EventsWorker.set_client_override(None)


async def _end_senders() -> None:
    """Cancel what sends events and logs, also where its end is awaited: whoever awaits it goes on.

    First nobody gets them any more: an event that is put into a sender which has ended would fail the task run that it
    is about, and with it a ticket.
    """
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    ending: list[tuple[Any, asyncio.Task[Any]]] = []
    for task in asyncio.all_tasks():
        sender = inspect.getcoroutinelocals(task.get_coro()).get("self")  # type: ignore[arg-type]  # tasks run coroutines
        if isinstance(sender, EventsWorker | APILogWorker):
            # Prefect has no word for this but waiting until all is sent.
            sender._remove_instance()  # type: ignore[no-untyped-call]  # noqa: SLF001
            ending.append((sender, task))
    await asyncio.sleep(HANDED_OUT_S)
    for sender, task in ending:
        sender._stop()  # noqa: SLF001
        task.cancel()
