"""One attempt at a job: fill, run, stop the world, read back."""

import contextlib
import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from queue import Empty
from typing import Final

from docker.errors import NotFound

from refute.errors import ContainerLost, SandboxFailed
from refute.sandbox.cgroups import Counters, control_groups, read_counters
from refute.sandbox.connection import engine_errors
from refute.sandbox.evidence import Facts, full_mounts, judge, memory_in_words
from refute.sandbox.execution import Ending, Execution
from refute.sandbox.files import Files
from refute.sandbox.files_engine import EngineFiles
from refute.sandbox.files_local import LocalFiles
from refute.sandbox.freeze import freeze
from refute.sandbox.job import End, Job, JobResult, Limit, LimitReached, TimedOut
from refute.sandbox.profile import volumes
from refute.sandbox.readback import WorkspaceState, read_collected, read_touched_canary_files, read_workspace
from refute.sandbox.ready_container import ReadyContainer
from refute.sandbox.tree import Original, read_originals
from refute.sandbox.watch import Event

OUT_OF_MEMORY_GRACE_S: Final = 0.15
"""The engine's report of an out-of-memory kill may come after that of the exit it caused."""
END_REPORTED_WITHIN_S: Final = 3.0
SCRATCH: Final = ("/tmp", "/dev/shm")  # noqa: S108 (inside the container)
NOTHING_SEEN: Final = WorkspaceState(changed=(), used_bytes=0, largest_file_bytes=0, complete=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remains:
    """What was read back."""

    workspace: WorkspaceState = NOTHING_SEEN
    canary_files_touched: tuple[str, ...] = ()
    collected: Mapping[str, bytes] = field(default_factory=dict)


class Attempt:
    """One job in a container that stands ready, to its last byte read; whoever made the container removes it."""

    def __init__(self, ready: ReadyContainer, job: Job) -> None:
        self._ready = ready
        self._client = ready.client
        self._container = ready.container
        self._job = job
        self._signals = ready.signals

    def run(self, background: Executor, *, began: float) -> JobResult:
        """Do it all but making and removing the container.

        Args:
            background: indexes the workspace while the command runs.
            began: monotonic time since when the job waits for its result.

        Raises:
            EngineDied, SandboxFailed: infrastructure.
        """
        originals = background.submit(read_originals, self._job.workspace)
        ending = Execution(self._ready, self._job).run()
        end, remains = self._conclude(ending, originals.result())
        return JobResult(
            end=end,
            stdout=ending.stdout,
            stderr=ending.stderr,
            duration_s=ending.duration_s,
            overhead_s=time.monotonic() - began - ending.duration_s,
            changed_paths=remains.workspace.changed,
            canary_files_touched=remains.canary_files_touched,
            collected=remains.collected,
        )

    def _conclude(self, ending: Ending, originals: Mapping[str, Original]) -> tuple[End, _Remains]:
        limits = self._job.limits
        if ending.container_ended:
            return self._explain_lost_container(ending), _Remains()
        if ending.overflow:
            detail = f"{limits.output_bytes} bytes per stream"
            end: End = LimitReached(limit=Limit.OUTPUT, detail=detail, exit_code=ending.exit_code)
            return end, self._try_to_read(originals)
        if ending.exit_code is None:
            return TimedOut(limit_s=limits.timeout_s), self._try_to_read(originals)
        out_of_memory = ending.out_of_memory or (ending.exit_code != 0 and self._hear_out_of_memory())
        try:
            self._stop_the_world()
            remains = self._read(originals)
        except SandboxFailed:
            if self._has_ended():
                return self._explain_lost_container(ending, out_of_memory=out_of_memory), _Remains()
            # What exhausts its limits may be too busy to be frozen: the counters tell, and nothing is read back.
            end = self._judge(ending.exit_code, NOTHING_SEEN, out_of_memory=out_of_memory)
            if isinstance(end, LimitReached):
                return end, _Remains()
            raise
        return self._judge(ending.exit_code, remains.workspace, out_of_memory=out_of_memory), remains

    def _judge(self, exit_code: int, workspace: WorkspaceState, *, out_of_memory: bool) -> End:
        pid = self._ready.pid
        counters = read_counters(pid, self._container)
        here = counters.processes is not None
        facts = Facts(
            exit_code=exit_code,
            out_of_memory=out_of_memory,
            counters=counters if here else self._ask_counters(),
            full=full_mounts(pid, (*SCRATCH, *volumes(self._job))) if here else None,
            workspace=workspace,
            limits=self._job.limits,
        )
        return judge(facts)

    def _explain_lost_container(self, ending: Ending, *, out_of_memory: bool = False) -> End:
        """A job cannot end PID 1, but the kernel may, when memory runs out and nothing else is left to kill."""
        if out_of_memory or ending.out_of_memory or self._hear_out_of_memory():
            detail = memory_in_words(self._job.limits.memory_bytes)
            return LimitReached(limit=Limit.MEMORY, detail=detail, exit_code=ending.exit_code)
        raise ContainerLost(
            f"the container of job {self._job.name!r} was ended from outside while the command ran",
            hint="Did somebody remove it (docker rm, docker system prune), or another program clean up?",
        )

    def _has_ended(self) -> bool:
        """Whether the container's end explains why it could not be paused; the engine learns of it a moment later."""
        deadline = time.monotonic() + END_REPORTED_WITHIN_S
        while time.monotonic() < deadline:
            with engine_errors("say whether the container runs"):
                try:
                    if not self._client.inspect_container(self._container)["State"]["Running"]:
                        return True
                except NotFound:
                    return True
            time.sleep(0.05)
        return False

    def _stop_the_world(self) -> None:
        """Freeze everything in the container; PID 1, which is ours and sleeps, may stay awake where it is alone."""
        if read_counters(self._ready.pid, self._container).processes == 1:
            return
        with engine_errors("pause the container"):
            freeze(self._client, self._container)

    def _ask_counters(self) -> Counters:
        """The little that an engine on another machine tells; nothing of a runtime with a kernel of its own.

        Where gVisor is registered with --ignore-cgroups the engine counts its own processes (measured): a job that
        ended well was at its pids limit.
        """
        if not self._ready.pid:
            return Counters()
        with engine_errors("count the container's processes"):
            stats = self._client.stats(self._container, stream=False, one_shot=True)
        return Counters(processes=(stats.get("pids_stats") or {}).get("current"))

    def _read(self, originals: Mapping[str, Original]) -> _Remains:
        local = LocalFiles(self._ready.pid)
        if self._is_here(local):
            with contextlib.suppress(OSError):  # a tree that is not for it
                remains = self._read_from(local, originals)
                if self._is_here(local):  # else it ended meanwhile, and what is missing says nothing
                    return remains
        return self._read_from(EngineFiles(self._client, self._container), originals)

    def _is_here(self, local: LocalFiles) -> bool:
        """Whether the container runs on this machine and its files can be looked at."""
        return bool(control_groups(self._ready.pid, self._container)) and local.can_be_read()

    def _read_from(self, files: Files, originals: Mapping[str, Original]) -> _Remains:
        return _Remains(
            workspace=read_workspace(files, originals, self._job.limits, self._job.surroundings.workspace),
            canary_files_touched=read_touched_canary_files(files),
            collected=read_collected(files, self._job.collect, self._job.surroundings.tests),
        )

    def _try_to_read(self, originals: Mapping[str, Original]) -> _Remains:
        """After an end that fails the job anyway, what cannot be read is left out."""
        with contextlib.suppress(SandboxFailed):
            self._stop_the_world()
            return self._read(originals)
        return _Remains()

    def _hear_out_of_memory(self) -> bool:
        deadline = time.monotonic() + OUT_OF_MEMORY_GRACE_S
        while True:
            try:
                signal = self._signals.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return False
            if signal is Event.OUT_OF_MEMORY:
                return True
