"""Python calls that load objects or libraries, which may run code of their own."""

# ruff: noqa: SIM905 - long tables of names read best as words

import pickletools
from typing import Any, Final

from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.values import (
    UNK,
    Ref,
    as_text,
)
from refute.scan.symbols import DERIVED, DOWNLOAD, SECRET, is_open


def _load(call: PythonCall) -> Any:
    value = call.argument(0)
    text = as_text(value)
    if isinstance(value, bytes) and call.name.startswith("pickle.") and not _pickle_calls(value):
        return UNK
    if isinstance(value, bytes | str) and not is_open(text):
        decoded = text in call.walker.decoded
        call.act.add("unsafe-load", detail="The data is hidden." if decoded else "")
    elif DOWNLOAD in text or DERIVED in text or SECRET in text:
        call.act.add("unsafe-load")
    elif isinstance(value, Ref) and value.name.startswith("pickle.dumps"):
        return UNK
    else:
        call.act.add("unsafe-load", severity=Severity.MEDIUM)
    return Ref(f"{call.name}()")


def _pickle_calls(data: bytes) -> bool:
    """Whether unpickling would call anything by name, or the data is no pickle that can be read."""
    harmless = ("copyreg", "copy_reg", "collections", "datetime", "decimal", "fractions", "time", "uuid", "array")
    texts: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(data):
            texts.append(argument if isinstance(argument, str) else "")
            if opcode.name in {"GLOBAL", "INST", "STACK_GLOBAL"}:
                module = argument if opcode.name != "STACK_GLOBAL" else "".join(texts[-4:-1])
                if not str(module).startswith(harmless):
                    return True
    except Exception:  # noqa: BLE001 - hostile bytes
        return True
    return False


def _yaml(call: PythonCall) -> Any:
    loader = call.argument(1, "Loader")
    if isinstance(loader, Ref) and loader.name.rpartition(".")[2] in {"UnsafeLoader", "Loader", "FullLoader"}:
        unsafe = loader.name.endswith("UnsafeLoader") or "!!python" in as_text(call.argument(0))
        call.act.add("unsafe-load", severity=None if unsafe else Severity.MEDIUM)
    elif "!!python" in as_text(call.argument(0)):
        call.act.add("unsafe-load")
    return UNK


def _load_array(call: PythonCall) -> Any:
    if call.keywords.get("allow_pickle") is True:
        return _load(call)
    call.act.read(as_text(call.argument(0, "file")))
    return UNK


def _library(call: PythonCall) -> Any:
    value = call.argument(0, "name")
    call.act.add("native-code", severity=Severity.HIGH if DERIVED in as_text(value) else Severity.MEDIUM)
    return Ref("library()")


HANDLERS: Final = {
    **dict.fromkeys(
        (
            "pickle.loads pickle.load pickle.Unpickler marshal.loads marshal.load shelve.open jsonpickle.decode "
            "torch.load joblib.load"
        ).split(),
        _load,
    ),
    "numpy.load": _load_array,
    **dict.fromkeys(("yaml.load", "yaml.unsafe_load", "yaml.full_load", "yaml.load_all"), _yaml),
    **dict.fromkeys(
        ("ctypes.CDLL", "ctypes.PyDLL", "ctypes.cdll.LoadLibrary", "ctypes.WinDLL", "cffi.FFI().dlopen", "cffi.FFI"),
        _library,
    ),
}
