"""Watchers of a run: each warning once, whoever gives it."""

import threading

from refute.observer import OnlyOnce, Unwatched, Watchers
from refute.outcome import StageRecord


class Listening(Unwatched):
    """Remembers all that it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def began(self, stage: str) -> None:
        self.heard.append(stage)

    def ended(self, record: StageRecord) -> None:
        self.heard.append(record.summary)

    def warned(self, message: str) -> None:
        self.heard.append(message)


def test_a_warning_is_passed_on_once_and_stages_each_time() -> None:
    listening = Listening()
    once = OnlyOnce(Watchers(listening))
    for _ in range(2):
        once.began("scan")
        once.ended(StageRecord(name="scan", summary="clean", duration_s=0.1))
        once.warned("the disk is full")
    once.warned("the disk is empty")
    assert listening.heard == ["scan", "clean", "the disk is full", "scan", "clean", "the disk is empty"]


def test_those_that_share_a_memory_do_not_repeat_one_another() -> None:
    listening = Listening()
    said: dict[str, object] = {}
    threads = [threading.Thread(target=OnlyOnce(listening, said).warned, args=("the disk is full",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    OnlyOnce(listening, said).warned("the disk is empty")
    assert listening.heard == ["the disk is full", "the disk is empty"]
