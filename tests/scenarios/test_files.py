"""S150, S270, S280: odd files, missing engines, tickets that change or collide."""

import json

import pytest

from refute.errors import SnapshotRefused
from refute.outcome import ClaimVerdict, Status
from tests.fakes.wheels import FakeWheel
from tests.scenarios.conftest import CLAIMS, SLUG

pytestmark = pytest.mark.engine


@pytest.mark.prefect
def test_s150_without_an_engine_the_run_is_an_error_with_instructions(ticket, cli):
    done = cli("verify", ticket(), "--yes", "--format", "json", DOCKER_HOST="unix:///nonexistent.sock")
    assert done.returncode == 1
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "ERROR"
    assert "engine" in outcome["reason"]
    assert "Start Docker" in outcome["reason"]


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def test_s270_odd_names_and_contents_are_carried_byte_for_byte_and_modules_read_as_python_reads_them(ticket, verify):
    files = {
        "slug.py": BYTE_ORDER_MARK + b'def slugify(text: str) -> str:\n    return "-".join(text.lower().split())\n',
        "latin.py": b"# -*- coding: latin-1 -*-\ndef accent() -> str:\n    return '\xe9'\n",
        "dir with space/naïve – ünïcode.txt": "täxt\r\nCRLF\r\n",
        "new\nline.txt": "x",
        "empty": "",
        "blob.bin": bytes(range(256)),
    }
    script = "sha256sum blob.bin empty 'dir with space'/*\nls -b\n"
    claims = [*CLAIMS, {"id": "C2", "text": "accent() == '\\xe9'"}]
    outcome = verify(ticket(files=files, script=script, claims=claims, implementation=["slug.py", "latin.py"]))
    assert outcome.status is Status.PASS_WEAK, outcome.reason
    assert [one.verdict for one in outcome.claims] == [ClaimVerdict.SURVIVED] * 2
    assert "new\\nline.txt" in outcome.verification_output
    assert "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880" in outcome.verification_output


def test_s270_a_symlink_out_of_the_workspace_is_refused(ticket, verify):
    directory = ticket()
    (directory / "outside").symlink_to("/etc/passwd")
    with pytest.raises(SnapshotRefused, match="outside"):
        verify(directory)


def test_s280_what_was_approved_runs_even_if_the_workspace_changes(ticket, verify, monkeypatch):
    from refute.approval import AdvanceApprover

    directory = ticket()
    ask = AdvanceApprover.ask

    def changing(self, question):
        (directory / "verify.sh").write_text("echo CHANGED\nexit 9\n")
        return ask(self, question)

    monkeypatch.setattr(AdvanceApprover, "ask", changing)
    outcome = verify(directory)
    assert outcome.status is Status.PASS_WEAK
    assert "CHANGED" not in outcome.verification_output


@pytest.mark.prefect
def test_hostile_output_never_reaches_the_terminal_as_control_characters(ticket, cli):
    script = "printf '\\033[2J\\033]0;owned\\007\\342\\200\\256evil'; exit 1\n"
    done = cli("verify", ticket(script=script), "--yes")
    assert done.returncode == 10
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout + done.stderr


def test_a_verification_script_in_python_runs_with_python(ticket, verify):
    script = "import slug\nassert slug.slugify('A b') == 'a-b'\nprint('checked')\n"
    directory = ticket(more={"verification_script": "verify.py"})
    (directory / "verify.py").write_text(script)
    outcome = verify(directory)
    assert outcome.status is Status.PASS_WEAK, outcome.reason
    assert outcome.verification_output == "checked\n"


def test_required_packages_are_there_for_the_code_and_shown_and_the_driver_keeps_its_own(ticket, verify, tmp_path):
    house = tmp_path / "house"
    regex = FakeWheel(
        name="slugregex", version="2.0", files={"slugregex.py": "import re\n\nWORDS = re.compile('[a-z0-9]+')\n"}
    )
    other = FakeWheel(name="pytest", version="0.1", files={"pytest.py": "__version__ = '0.1'\n"})
    code = SLUG.replace("import re\n", "import slugregex\n").replace(
        're.findall(r"[a-z0-9]+", ', "slugregex.WORDS.findall("
    )
    directory = ticket(
        files={"slug.py": code},
        script="python -c 'import slug, pytest; assert pytest.__version__ == \"0.1\"'\n",
        more={"requirements": [wheel.write(house) for wheel in (regex, other)]},
    )
    outcome = verify(directory, requirements_wheelhouse=house)
    assert outcome.status is Status.PASS_WEAK, outcome.reason
    assert outcome.provenance.requirements == ("pytest==0.1", "slugregex==2.0")
