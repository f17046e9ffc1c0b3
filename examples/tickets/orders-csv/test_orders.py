from decimal import Decimal

import pytest

from orders import OrderError, is_iso_date, parse_order, parse_orders, split_line


@pytest.mark.parametrize("date", ["2024-02-29", "2023-12-31", "2000-02-29"])
def test_valid_dates(date):
    assert is_iso_date(date)


@pytest.mark.parametrize("date", ["2023-02-29", "2023-13-01", "2023-00-10", "2023-04-31", "yesterday", ""])
def test_invalid_dates(date):
    assert not is_iso_date(date)


def test_quoted_comma():
    assert split_line('a,"b,c",d') == ["a", "b,c", "d"]


def test_parse_order():
    order = parse_order("1001,2024-02-29,Smith,12.50\n")
    assert order.amount == Decimal("12.50")
    assert order.customer == "Smith"


@pytest.mark.parametrize("line", ["1001,2024-02-30,Smith,1", "1001,2024-02-29,Smith", "1001,2024-02-29,Smith,x"])
def test_invalid_orders(line):
    with pytest.raises(OrderError):
        parse_order(line)


def test_reads_a_real_file(tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text('1,2024-01-01,"Smith, John",1.00\r\n\r\n2,2024-01-02,Doe,2.00\r\n')
    with path.open() as stream:
        assert [order.number for order in parse_orders(stream)] == ["1", "2"]
