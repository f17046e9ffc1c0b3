from reconcile import distinct, in_both, in_either, missing


def test_distinct_orders_and_drops_repeats():
    assert distinct([3, 1, 3, 2]) == [1, 2, 3]
    assert distinct([]) == []


def test_in_both_is_the_overlap():
    assert in_both([1, 2, 2, 7], [2, 7, 9]) == [2, 7]


def test_in_either_is_the_union():
    assert in_either([1, 5], [5, 0]) == [0, 1, 5]


def test_missing_is_what_was_expected_in_vain():
    assert missing([1, 2, 3], [2]) == [1, 3]
    assert missing([1], []) == [1]
