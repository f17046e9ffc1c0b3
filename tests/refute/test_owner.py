import os
import subprocess
import sys
from dataclasses import replace

import pytest

from refute import owner
from refute.owner import Owner


def test_an_owner_is_read_as_it_was_written():
    owner = Owner.here()
    assert Owner.parse(str(owner)) == owner


def test_what_is_no_owner_is_refused():
    with pytest.raises(ValueError):
        Owner.parse("somebody")


def test_this_process_lives():
    assert not Owner.here().is_gone()


def test_a_process_that_ended_is_gone_even_before_its_parent_has_looked():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    owner = replace(Owner.here(), pid=ended.pid, began="1")
    assert owner.is_gone()
    ended.wait()
    assert owner.is_gone()


def test_another_process_under_an_old_number_is_not_the_owner():
    assert replace(Owner.here(), began="12345").is_gone()


def test_nothing_is_known_of_processes_elsewhere():
    assert not replace(Owner.here(), host="elsewhere.0", pid=1, began="1").is_gone()


def test_a_process_whose_facts_are_hidden_lives_as_long_as_its_number_is_taken(monkeypatch):
    """`hidepid` of /proc hides the processes of other users."""
    monkeypatch.setattr(owner, "_began", lambda _: "")
    assert not Owner.here().is_gone()
    assert not replace(Owner.here(), began="12345").is_gone()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert replace(Owner.here(), pid=ended.pid).is_gone()


def test_numbers_of_processes_count_only_where_they_are_told_in_the_same_namespaces(monkeypatch):
    made = replace(Owner.here(), began="12345")
    monkeypatch.setattr(owner, "_namespace", {"pid": "1", "time": "2"}.__getitem__)
    assert not made.is_gone()
