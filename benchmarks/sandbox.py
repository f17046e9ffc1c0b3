"""The same job in refute's sandbox, a plain `docker run` with a bind mount, and llm-sandbox: side by side, one run.

    python benchmarks/sandbox.py [--rounds 20] [--jobs 50] [--llm-python PATH] > benchmarks/results/sandbox.md

The job: 20 files in, a trivial pytest suite, its result file out. Each way runs in a process of its own, which does one
job whenever it is told, so that the ways take turns and each one's memory and processor time are its own. llm-sandbox
is no dependency of refute: `--llm-python` names the interpreter of a virtual environment with `llm-sandbox[docker]`.
It gets refute's image, as its own cannot be pulled everywhere, and no set-up of its own (that would need pip and a
network in the container), which is less than it does by default.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LLM_WORKER = Path(__file__).resolve().with_name("llm_sandbox_job.py")
FILES = {f"module_{number:02}.py": f"VALUE = {number}\n" for number in range(19)}
FILES["test_modules.py"] = "import module_03\n\n\ndef test_value():\n    assert module_03.VALUE == 3\n"
PYTEST = ("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider")
RESULT = "results.xml"
CONCURRENCY = (2, 4)
AHEAD_S = 2.0


def main() -> None:
    """Measure and print a Markdown page."""
    arguments = _parser().parse_args()
    if arguments.worker:
        _work(WAYS[arguments.worker](arguments.image), prepare="prepared" in arguments.worker)
        return
    arguments.load = os.getloadavg()[0]
    image_id = _image()
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(_worker([sys.executable, __file__, "--worker", name, image_id])) for name in WAYS
        }
        if arguments.llm_python:
            workers["llm-sandbox"] = stack.enter_context(_worker([arguments.llm_python, str(LLM_WORKER), image_id]))
        for worker in workers.values():
            worker.ask("once")  # imports, first connection, page cache
        for _ in range(arguments.rounds):
            for name, worker in workers.items():
                before_s = _machine_s()
                worker.times_s.append(worker.ask("once"))
                worker.machine_s.append(_machine_s() - before_s)
                print(f"{name}: {worker.times_s[-1]:.2f} s", file=sys.stderr, flush=True)
        for worker in workers.values():
            worker.usage = worker.ask_json("usage")
        for worker in workers.values():
            worker.jobs_a_second = {
                number: arguments.jobs / worker.ask(f"many {arguments.jobs} {number}") for number in CONCURRENCY
            }
        _print(workers, arguments)


@dataclass
class Way:
    """One way to do the job."""

    run: Callable[[], None]
    ahead: Callable[[], None] = lambda: None
    """What can be done before, while something else takes its time; it is not measured."""


@dataclass
class _Worker:
    process: "subprocess.Popen[str]"
    times_s: list[float] = field(default_factory=list)
    machine_s: list[float] = field(default_factory=list)
    """Processor time of the whole machine during each job, the engine's and the container's with it."""
    usage: dict[str, float] = field(default_factory=dict)
    jobs_a_second: dict[int, float] = field(default_factory=dict)

    def ask(self, words: str) -> float:
        return float(self.ask_json(words)["seconds"])

    def ask_json(self, words: str) -> dict[str, float]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        answer: dict[str, float] = json.loads(self.process.stdout.readline())
        return answer


@contextmanager
def _worker(command: Sequence[str]) -> Iterator[_Worker]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(  # noqa: S603  # our own file
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        yield _Worker(process)
    finally:
        process.stdin.close()  # type: ignore[union-attr]
        process.wait()


def _work(way: Way, *, prepare: bool) -> None:
    """Obey one line at a time: `once`, `many COUNT CONCURRENCY`, `usage`."""
    used_s, done = 0.0, 0
    for line in sys.stdin:
        match line.split():
            case ["once"]:
                if prepare:
                    way.ahead()
                    time.sleep(AHEAD_S)
                before_s, began = _cpu_s(), time.perf_counter()
                way.run()
                print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)
                used_s, done = used_s + _cpu_s() - before_s, done + 1
            case ["many", count, concurrency]:
                began = time.perf_counter()
                with ThreadPoolExecutor(int(concurrency)) as executor:
                    list(executor.map(lambda _: _next(way, prepare=prepare), range(int(count))))
                print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)
            case ["usage"]:
                peak = max(
                    resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
                )
                print(json.dumps({"cpu_s": used_s / done, "peak_mb": peak / 1024}), flush=True)


def _next(way: Way, *, prepare: bool) -> None:
    """One job of many; its successor's container is made while it runs."""
    if prepare:
        way.ahead()
    way.run()


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _machine_s() -> float:
    """Processor seconds that all processes of this machine have used (proc(5): user, nice, system, irq, softirq)."""
    user, nice, system, _idle, _wait, irq, soft = Path("/proc/stat").read_text().split()[1:8]
    return sum(map(int, (user, nice, system, irq, soft))) / os.sysconf("SC_CLK_TCK")


def _plain(image_id: str) -> Way:
    def job() -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o777)
            for name, text in FILES.items():
                Path(folder, name).write_text(text)
            command = ["docker", "run", "--rm", "--network", "none", "-v", f"{folder}:/job", "-w", "/job", image_id]
            subprocess.run([*command, *PYTEST, f"--junitxml={RESULT}"], check=True, capture_output=True)  # noqa: S603
            assert b'tests="1"' in Path(folder, RESULT).read_bytes()

    return Way(run=job)


def _ours(image_id: str) -> Way:
    # Here, so that the memory of the other ways' processes is not this one's.
    from refute.sandbox.engine import DockerSandbox  # noqa: PLC0415
    from refute.sandbox.job import Exited, Job, Limits  # noqa: PLC0415
    from refute.sandbox.tree import pack_files  # noqa: PLC0415

    sandbox = DockerSandbox()
    job = Job(
        name="bench",
        run_id="bench",
        ticket_id="bench",
        image_id=image_id,
        command=(*PYTEST, f"--junitxml=/attack/{RESULT}"),
        workspace=pack_files({name: text.encode() for name, text in FILES.items()}),
        limits=Limits(timeout_s=120),
        attack_files={"plan": b""},
        collect=(RESULT,),
    )

    def run() -> None:
        result = sandbox.run(job)
        assert result.end == Exited(code=0), result
        assert b'tests="1"' in result.collected[RESULT]

    return Way(run=run, ahead=lambda: sandbox.prepare(job))


WAYS: dict[str, Callable[[str], Way]] = {"docker run": _plain, "refute": _ours, "refute, prepared ahead": _ours}


def _image() -> str:
    import docker  # noqa: PLC0415

    from refute.sandbox.image import build_image  # noqa: PLC0415

    return build_image(docker.from_env(), progress=lambda _: None).id


def _print(workers: dict[str, _Worker], arguments: argparse.Namespace) -> None:
    base_s = statistics.median(workers["docker run"].times_s)
    machine = f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {platform.platform()}"
    load = f"load {arguments.load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end"
    columns = [
        "20 files in, pytest, one file out",
        "median s",
        "minimum s",
        "to `docker run`",
        "machine CPU s",
        "client CPU s",
        "client peak MB",
    ]
    columns += [f"jobs/s at {number}" for number in CONCURRENCY]
    print("# The sandbox beside what one would use instead\n")
    print(f"Made by `python benchmarks/sandbox.py`; {machine}; {load}.")
    print(f"{arguments.rounds} rounds, taking turns; {arguments.jobs} jobs for throughput.\n")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, worker in workers.items():
        median_s = statistics.median(worker.times_s)
        cells = [name, f"{median_s:.2f}", f"{min(worker.times_s):.2f}", f"{median_s / base_s:.2f}"]
        cells += [f"{statistics.median(worker.machine_s):.2f}"]
        cells += [f"{worker.usage['cpu_s']:.2f}", f"{worker.usage['peak_mb']:.0f}"]
        cells += [f"{worker.jobs_a_second[number]:.2f}" for number in CONCURRENCY]
        print(f"| {' | '.join(cells)} |")
    print("\nClient: the calling process and its children. Machine: everything that ran meanwhile, the engine with it;")
    print("of a prepared job that includes its container, made in the two seconds before. For throughput the")
    print("next container is prepared while a job runs; on two cores it is the same work, done earlier.")
    asked = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)  # noqa: S607
    missing = "not part of this program" if asked.returncode == 0 else "not measured, there is no compose plugin"
    print(f"inspect-ai's docker sandbox: {missing}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--llm-python")
    parser.add_argument("--worker", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("image", nargs="?", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main()
