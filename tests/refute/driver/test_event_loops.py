"""A test finds the event loop that it would find in a new process, or the one that somebody set."""

import asyncio

from refute.driver.awaiting import forget_ended_loop


def test_after_a_run_that_ended_a_loop_is_made_again() -> None:
    asyncio.run(asyncio.sleep(0))
    forget_ended_loop()
    loop = asyncio.get_event_loop()
    assert loop.run_until_complete(asyncio.sleep(0, "done")) == "done"
    loop.close()


def test_a_loop_that_somebody_set_stays() -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    forget_ended_loop()
    assert asyncio.get_event_loop() is loop
    asyncio.set_event_loop(None)
    loop.close()
