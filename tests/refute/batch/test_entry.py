import pytest

from refute.batch.entry import read_entries
from refute.errors import TicketNotFound


def test_a_bad_ticket_file_is_an_entry_with_all_its_faults_and_hides_no_other(write, tmp_path):
    write("A-1")
    write("A-3")
    (tmp_path / "A-2").mkdir()
    (tmp_path / "A-2" / "ticket.yaml").write_text("id: '../x'\nclaims: []\n")
    entries = read_entries(tmp_path)
    assert [entry.ticket_id for entry in entries] == ["A-1", "invalid-A-2", "A-3"]
    assert [entry.ticket is None for entry in entries] == [False, True, False]
    assert any("id" in problem for problem in entries[1].problems)
    assert any("claims" in problem for problem in entries[1].problems)


def test_of_two_tickets_with_one_id_the_first_keeps_it_and_the_second_says_who_has_it(write, tmp_path):
    first = write("a", ticket_id="SAME")
    write("b", ticket_id="SAME")
    one, two = read_entries(tmp_path)
    assert (one.ticket_id, one.ticket is not None) == ("SAME", True)
    assert (two.ticket_id, two.ticket) == ("invalid-b", None)
    assert str(first) in two.problems[0]


def test_made_up_ids_never_meet_each_other_or_a_real_one(write, tmp_path):
    write("real", ticket_id="invalid-x")
    for place in ("p/x", "q/x"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "ticket.yaml").write_text("- no ticket\n")
    ids = [entry.ticket_id for entry in read_entries(tmp_path)]
    assert sorted(ids) == ["invalid-x", "invalid-x-2", "invalid-x-3"]


def test_a_source_without_any_ticket_is_an_error(tmp_path):
    with pytest.raises(TicketNotFound):
        read_entries(tmp_path)
