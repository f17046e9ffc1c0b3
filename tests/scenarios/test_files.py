"""S150, S270, S280: odd files, missing engines, tickets that change or collide."""

import json

import pytest

from refute.errors import SnapshotRefused
from refute.outcome import Status

pytestmark = [pytest.mark.engine, pytest.mark.prefect]


def test_s150_without_an_engine_the_run_is_an_error_with_instructions(ticket, cli):
    done = cli("verify", ticket(), "--yes", "--format", "json", DOCKER_HOST="unix:///nonexistent.sock")
    assert done.returncode == 1
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "ERROR"
    assert "engine" in outcome["reason"]
    assert "Start Docker" in outcome["reason"]


def test_s270_odd_names_and_contents_are_carried_byte_for_byte(ticket, verify):
    files = {
        "slug.py": 'def slugify(text: str) -> str:\n    return "-".join(text.lower().split())\n',
        "dir with space/naïve – ünïcode.txt": "täxt\r\nCRLF\r\n",
        "new\nline.txt": "x",
        "empty": "",
        "blob.bin": bytes(range(256)),
    }
    script = "sha256sum blob.bin empty 'dir with space'/*\nls -b\n"
    outcome = verify(ticket(files=files, script=script))
    assert outcome.status is Status.PASS_WEAK, outcome.reason
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


def test_hostile_output_never_reaches_the_terminal_as_control_characters(ticket, cli):
    script = "printf '\\033[2J\\033]0;owned\\007\\342\\200\\256evil'; exit 1\n"
    done = cli("verify", ticket(script=script), "--yes")
    assert done.returncode == 10
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout + done.stderr


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def test_s270_a_module_is_read_as_python_reads_it(ticket, verify):
    code = b'def slugify(text: str) -> str:\n    return "-".join(text.lower().split())\n'
    outcome = verify(ticket(files={"slug.py": BYTE_ORDER_MARK + code}))
    assert outcome.status is Status.PASS_WEAK, outcome.reason
    latin = b"# -*- coding: latin-1 -*-\nACCENT = '\xe9'\n"
    assert verify(ticket(files={"slug.py": latin + code})).status is Status.PASS_WEAK


def test_a_verification_script_in_python_runs_with_python(ticket, verify):
    script = "import slug\nassert slug.slugify('A b') == 'a-b'\nprint('checked')\n"
    directory = ticket(more={"verification_script": "verify.py"})
    (directory / "verify.py").write_text(script)
    outcome = verify(directory)
    assert outcome.status is Status.PASS_WEAK, outcome.reason
    assert outcome.verification_output == "checked\n"


def test_requirements_that_are_not_installed_are_a_caveat(ticket, verify):
    requirement = f"slugtools==1.0 --hash=sha256:{'0' * 64}"
    outcome = verify(ticket(more={"requirements": [requirement]}))
    assert any("requirements were not installed" in caveat for caveat in outcome.caveats)
