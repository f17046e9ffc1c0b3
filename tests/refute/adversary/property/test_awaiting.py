"""Asynchronous code in examples: right code holds and wrong code fails, however the author drives it."""

import asyncio

import pytest

from refute.ticket.record import Claim, ClaimId, Property, Raises
from tests.refute.adversary.property.workbench import attack_on, failures

RIGHT = """
import asyncio
async def add(n, m=1):
    await asyncio.sleep(0)
    return n + m
async def count(n):
    for i in range(n):
        yield i
def drive(coroutine):
    return asyncio.run(coroutine)
class Place:
    async def __aenter__(self):
        return self
    async def __aexit__(self, *_):
        return None
    async def get(self):
        return await add(2)
    async def exact(self, n: int):
        return n + 1
"""
INT = {"n": "int"}
REFUSES = """
async def refuse(n):
    raise KeyError
class Place:
    async def deny(self, n):
        raise KeyError
"""
WRONG = RIGHT.replace("n + m", "n - m").replace("yield i", "yield -1")


@pytest.fixture(autouse=True)
def _loops_as_in_a_new_process():
    asyncio.set_event_loop_policy(None)
    yield
    asyncio.set_event_loop_policy(None)


def held(claim: Claim) -> None:
    attack = attack_on(RIGHT, claim)
    assert attack.tests
    assert failures(attack, RIGHT) == {}
    asyncio.set_event_loop_policy(None)
    assert failures(attack, WRONG)


@pytest.mark.parametrize(
    "written",
    [
        "__import__('asyncio').run(add(1)) == 2",
        "from asyncio import run; run(add(1)) == 2",
        "asyncio.get_event_loop().run_until_complete(add(1)) == 2",
        "loop = asyncio.new_event_loop(); loop.run_until_complete(add(1)) == 2",
        "with asyncio.Runner() as runner:\n    assert runner.run(add(1)) == 2",
        "asyncio.run(asyncio.wait_for(add(1), 5)) == 2",
        "drive(add(1)) == 2",
        "await add(await add(1)) == 3",
        "await asyncio.gather(add(1), add(2)) == [2, 3]",
        "[n async for n in count(2)] == [0, 1]",
        "lock = asyncio.Lock()\nasync with lock:\n    got = await add(1)\nassert got == 2",
        "async with Place() as place:\n    assert await place.get() == 3",
    ],
)
def test_who_drives_a_coroutine_by_any_name_is_left_to_it(written: str) -> None:
    held(Claim(id=ClaimId("C1"), text="It adds.", examples=(written,)))


@pytest.mark.parametrize(
    "written",
    [
        "add(1) == 2",
        "add(add(1)) == 3",
        "len(str(add(1) * 5)) == 2",
        "Place().get() == 3",
        "{'get': 1}.get('get') == 1 and Place().get() == 3",
        "[add(n) for n in range(2)] == [1, 2]",
        "all(add(n) == n + 1 for n in range(3))",
    ],
)
def test_for_short_a_call_stands_for_what_it_gives(written: str) -> None:
    held(Claim(id=ClaimId("C1"), text="It adds.", examples=(written,)))


@pytest.mark.parametrize(
    "text",
    [
        ">>> got = await add(1)\n>>> got\n2",
        ">>> from asyncio import run\n>>> run(add(1))\n2",
        ">>> [n async for n in count(2)]\n[0, 1]",
    ],
)
def test_claims_and_sessions_wait_too(text: str) -> None:
    held(Claim(id=ClaimId("C1"), text=text))


@pytest.mark.parametrize("check", ["add(n) == n + 1", "await add(n) == n + 1", "drive(add(n)) == n + 1"])
def test_property_blocks_wait_too(check: str) -> None:
    held(Claim(id=ClaimId("C1"), text="It adds.", property=Property(given={"n": "int"}, check=check)))


@pytest.mark.parametrize("call", ["refuse(n)", "await refuse(n)", "Place().deny(n)"])
def test_a_promised_error_is_waited_for_too(call: str) -> None:
    claim = Claim(
        id=ClaimId("C1"), text="It raises KeyError.", raises=(Raises(error="KeyError", call=call, given=INT),)
    )
    attack = attack_on(REFUSES, claim)
    assert failures(attack, REFUSES) == {}
    asyncio.set_event_loop_policy(None)
    assert failures(attack, REFUSES.replace("raise KeyError", "return"))


@pytest.mark.parametrize("written", ["(lambda: await add(1))() == 2", "break", "global add\nassert drive(add(1)) == 2"])
def test_an_example_that_cannot_stand_in_a_test_does_not_take_the_others_along(written: str) -> None:
    attack = attack_on(RIGHT, Claim(id=ClaimId("C1"), text="It adds.", examples=(written, "drive(add(1)) == 2")))
    assert failures(attack, RIGHT) == {}
    assert failures(attack, WRONG)
