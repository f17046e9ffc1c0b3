"""What is told about a ticket."""

from dataclasses import replace
from pathlib import Path

from refute.stages.brief import brief_on_disk
from tests.refute.adversary.property.workbench import brief_of


def test_advice_knows_the_files_beside_those_that_changed(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    for name in ("__init__", "core", "errors"):
        (tmp_path / f"pkg/{name}.py").touch()
    ticket = replace(brief_of({"pkg.core": "", "flat": ""}, ["-"]).ticket, workspace=tmp_path)
    (tmp_path / "flat.py").touch()
    assert {"flat.py", "pkg/__init__.py", "pkg/core.py", "pkg/errors.py"} == set(brief_on_disk(ticket).workspace_paths)
