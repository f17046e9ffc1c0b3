"""Claims about programs as people write them: a wrong program must fail a test, a right one none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.refute.adversary.property.command_lines.bench_of_programs import attack_on, failures

pytestmark = pytest.mark.slow

STYLES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("programs.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style["name"])
def test_right_programs_fail_no_test_and_wrong_ones_fail_one(style: dict[str, Any], tmp_path: Path) -> None:
    right = {"tool.py": style["right"], **style.get("files", {})}
    wrong = {"tool.py": style["wrong"], **style.get("files", {})}
    attack = attack_on(right, style["claim"])
    assert attack.tests, attack.untestable
    assert failures(attack, right, tmp_path / "right") == {}
    against = attack_on(wrong, style["claim"])
    assert failures(against, wrong, tmp_path / "wrong"), against.source
