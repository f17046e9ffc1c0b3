"""Python calls that act on processes, accounts, container engines and the machine."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from typing import Any, Final

from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.values import PROCESSES, UNK, Ref, as_text
from refute.scan.symbols import OTHER_PROCESS, OWN_PROCESS


def _kill(call: PythonCall) -> Any:
    pid, signal = call.argument(0, "pid"), call.argument(1, "sig")
    if signal == 0:
        return UNK
    if pid == -1:
        call.act.add("kill-process", severity=Severity.CRITICAL, detail="-1 stands for every process.")
    elif (isinstance(pid, int) and not isinstance(pid, bool) and pid != 0) or (
        isinstance(pid, Ref) and "getppid" in pid.name
    ):
        call.act.add("kill-process")
    elif OTHER_PROCESS in as_text(pid):
        call.act.add("kill-process", detail="The processes are picked from a list of all.")
    elif OWN_PROCESS not in as_text(pid):
        call.act.add("kill-process", severity=Severity.MEDIUM)
    return UNK


def _always(rule_id: str, severity: Severity | None = None) -> Any:
    def judge(call: PythonCall) -> Any:
        call.act.add(rule_id, severity=severity)
        return UNK

    return judge


def _fork(call: PythonCall) -> Any:
    names = [frame.name for frame in call.walker.stack if isinstance(frame, ast.FunctionDef)]
    again = any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
        for frame in call.walker.stack
        for node in ast.walk(frame)
    )
    if call.walker.endless or again:
        call.act.add("fork-bomb")
    return UNK


def _start_process(call: PythonCall) -> Any:
    from refute.scan.python.invoke import call_unknown  # noqa: PLC0415 - the table needs this module

    if call.walker.endless:
        call.act.add("fork-bomb", severity=Severity.HIGH)
    call_unknown(call)
    return Ref(f"{call.name}()")


def _putenv(call: PythonCall) -> Any:
    name, value = call.argument(0), call.argument(1)
    if name in {"LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP"}:
        call.act.add("preload")
    elif isinstance(name, str) and isinstance(value, str):
        call.walker.variables[name] = value
    return UNK


def _uid(call: PythonCall) -> Any:
    if call.argument(0) == 0:
        call.act.add("privilege")
    return UNK


HANDLERS: Final = {
    **dict.fromkeys(("os.kill", "os.killpg"), _kill),
    **dict.fromkeys(
        (
            "psutil.Process().kill",
            "psutil.Process().terminate",
            "psutil.Process().suspend",
            "psutil.Process().send_signal",
        ),
        _always("kill-process"),
    ),
    "psutil.pids": lambda _call: PROCESSES,
    **dict.fromkeys(("os.getpid", "os.getpgrp"), lambda _call: OWN_PROCESS),
    **dict.fromkeys(("os.fork", "os.forkpty"), _fork),
    **dict.fromkeys(("multiprocessing.Process", "threading.Thread", "threading.Timer"), _start_process),
    **dict.fromkeys(("os.setuid", "os.seteuid", "os.setresuid", "os.setgid", "os.setreuid"), _uid),
    **dict.fromkeys(("os.putenv", "os.environ.setdefault"), _putenv),
    **dict.fromkeys(("os.chroot", "os.unshare", "os.setns"), _always("container-escape")),
    **dict.fromkeys(
        ("os.reboot", "os.sethostname", "ctypes.windll.user32.ExitWindowsEx", "crypt.crypt"), _always("system-control")
    ),
    **dict.fromkeys(
        ("docker.from_env", "docker.DockerClient", "docker.APIClient"), _always("container-escape", Severity.HIGH)
    ),
    **dict.fromkeys(
        ("boto3.client", "boto3.resource", "boto3.Session", "boto3.session.Session"),
        _always("cloud-control", Severity.MEDIUM),
    ),
    **dict.fromkeys(("crontab.CronTab",), _always("persistence", Severity.HIGH)),
    **dict.fromkeys(
        (
            "pynput.keyboard.Listener keyboard.on_press keyboard.record pyautogui.screenshot mss.mss "
            "scapy.all.send scapy.all.sniff nmap.PortScanner evdev.InputDevice pynput.mouse.Listener "
        ).split(),
        _always(
            "attack-tool",
        ),
    ),
    **dict.fromkeys(
        (
            "PIL.ImageGrab.grab PIL.ImageGrab.grabclipboard pyperclip.paste sounddevice.rec sounddevice.InputStream "
            "pyaudio.PyAudio().open"
        ).split(),
        _always("attack-tool", Severity.MEDIUM),
    ),
    **dict.fromkeys(("keyring.get_password", "keyring.get_credential"), _always("read-credentials")),
    **dict.fromkeys(("pwd.getpwall", "grp.getgrall", "spwd.getspall", "spwd.getspnam"), _always("read-host-file")),
}
