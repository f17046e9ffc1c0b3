import json
import subprocess
import sys

from refute.driver.known import is_known, is_of_failing, is_pythons_own, named


def test_the_subject_cannot_have_the_driver_import_a_module() -> None:
    program = (
        "import sys\n"
        "from refute.driver.wire import Malformed\n"
        "from refute.driver.known import named\n"
        "for module, name in (('wsgiref.simple_server', 'WSGIServer'), ('pdb', 'Restart'), ('smtpd', 'SMTPServer')):\n"
        "    try:\n"
        "        named(module, name, in_driver=True)\n"
        "    except Malformed:\n"
        "        print(module in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"] * 3


def test_a_listed_exception_is_named() -> None:
    assert named("json.decoder", "JSONDecodeError", in_driver=True) is json.JSONDecodeError
    assert is_known(subprocess.CalledProcessError, to_driver=True)


def test_a_class_made_at_run_time_is_not_pythons_own() -> None:
    assert is_pythons_own(json.JSONEncoder)
    assert not is_pythons_own(type("Shape", (), {"__module__": "abc"}))


def test_nothing_is_asked_of_what_may_be_handed_over() -> None:
    class Array:
        def __eq__(self, other: object) -> bool:
            raise ValueError("the truth value of an array is ambiguous")

        __hash__ = None  # type: ignore[assignment]

    assert not is_of_failing(Array())
