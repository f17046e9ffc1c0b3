from refute.driver.stacks import Place, locate

DUMP = """Thread 0x01 (most recent call first):
  File "/workspace/other.py", line 1 in thread

Current thread 0x02 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "{inner}", line 7 in inner
  File "{outer}", line 9 in outer
"""
TEST, CODE = "/attack/test_x.py", "/workspace/impl.py"


def place(inner: str, outer: str) -> Place:
    return locate(DUMP.format(inner=inner, outer=outer), workspace="/workspace", test_path=TEST)


def test_the_innermost_frame_of_the_main_thread_decides() -> None:
    assert place(CODE, TEST) == Place(reached_implementation=True, inside_implementation=True)
    assert place(TEST, CODE) == Place(reached_implementation=True, inside_implementation=False)
    assert place(TEST, TEST) == Place(reached_implementation=False, inside_implementation=False)


def test_installed_packages_are_not_the_implementation() -> None:
    assert not place("/workspace/.venv/lib/site-packages/x.py", TEST).reached_implementation


def test_without_a_dump_nothing_is_claimed() -> None:
    assert locate("", workspace="/workspace", test_path=TEST) == Place(
        reached_implementation=False, inside_implementation=False
    )
