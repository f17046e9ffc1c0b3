from reports.artifacts import artifact_key


def test_a_plain_id_is_its_own_key():
    assert artifact_key("tck-101") == "ticket-tck-101"


def test_ids_that_differ_only_in_case_or_punctuation_get_keys_of_their_own():
    keys = {artifact_key(ticket_id) for ticket_id in ("TCK-1", "tck.1", "tck_1", "tck-1")}
    assert len(keys) == 4
