import subprocess
import sys


def run(*arguments, text=""):
    return subprocess.run([sys.executable, "expenses.py", *arguments], input=text, capture_output=True, text=True)


def test_categories_are_summed_in_order():
    assert run(text="travel,20.00\nfood,1.50\nfood,2.25\n").stdout == "food 3.75\ntravel 20.00\n"


def test_a_line_without_amount_is_refused():
    done = run(text="food\n")
    assert done.returncode == 1
    assert "line 1" in done.stderr


def test_a_file_is_read():
    assert run("may.csv", "--total").stdout == "23.75\n"
