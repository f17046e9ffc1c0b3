"""Container runtimes besides the default: whether the chosen one is there, and which limits each really enforces."""

from collections.abc import Callable, Iterator, Sequence

from refute.doctor.check import Check
from refute.errors import InfrastructureError
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.runtime import in_words, is_gvisor

Probe = Callable[[str], Sequence[str]]
"""Runtime → the limits that it does not enforce; raises InfrastructureError where it cannot be said."""


def check_runtimes(runtimes: Sequence[str], chosen: str, probe: Probe) -> Iterator[Check]:
    """The runtime of the settings, and gVisor wherever the engine has it.

    Args:
        runtimes: the engine's.
        chosen: the setting `runtime`.
        probe: tries a runtime's limits out; two seconds each.
    """
    if chosen and chosen not in runtimes:
        advice = (
            f"Register it with the engine (dockerd --add-runtime), or set `runtime` to one of {', '.join(runtimes)}."
        )
        yield Check(name="runtime", ok=False, found=f"{chosen}: the engine has no such runtime", advice=advice)
    for name in runtimes:
        if name == chosen or is_gvisor(name):
            yield _tried_out(name, probe, chosen=name == chosen)


def tried_out_in_a_container(image_id: str) -> Probe:
    """A probe that runs a container of the sandbox image."""

    def probe(runtime: str) -> Sequence[str]:
        with DockerSandbox(runtime=runtime) as sandbox:
            return sandbox.unenforced(image_id)

    return probe


def _tried_out(runtime: str, probe: Probe, *, chosen: bool) -> Check:
    name = f"limits under {runtime}"
    try:
        missing = probe(runtime)
    except InfrastructureError as error:
        advice = f"It cannot be used as it is: {error.hint}" if error.hint else "It cannot be used as it is."
        return Check(name=name, ok=False if chosen else None, found=f"a trial failed: {error.message}", advice=advice)
    if not missing:
        return Check(name=name, ok=True, found="memory, pids and system calls enforced (tried out)")
    hints = []
    if {"memory", "pids"} & set(missing):
        hints.append(
            "A job under it may take all memory or process ids here; outcomes say so. gVisor enforces them where it "
            "is registered without --ignore-cgroups, which needs control groups that it can manage."
        )
    if "seccomp" in missing:
        hints.append("Its own kernel answers the calls that the list refuses; the host's does not see them.")
    return Check(name=name, ok=None, found=f"{in_words(missing)} not enforced (tried out)", advice=" ".join(hints))
