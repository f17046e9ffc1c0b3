from flows.session import current_session, session
from refute.observer import Unwatched


def test_without_a_session_nobody_watches_and_no_server_is_lost():
    assert isinstance(current_session().observer, Unwatched)
    assert not current_session().lost_server()


def test_a_server_that_went_away_is_not_tried_again_until_the_session_ends():
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES

    before = PREFECT_CLIENT_MAX_RETRIES.value()
    with session(Unwatched(), "http://127.0.0.1:9/api") as current:
        assert current_session() is current
        assert current.lost_server()
        assert PREFECT_CLIENT_MAX_RETRIES.value() == 0
    assert PREFECT_CLIENT_MAX_RETRIES.value() == before
    assert current_session() is not current
