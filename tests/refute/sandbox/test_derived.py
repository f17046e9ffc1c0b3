"""The image with a ticket's requirements, on the real engine."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import pytest
from docker.errors import APIError
from docker.utils import kwargs_from_env

from refute.sandbox.connection import EngineClient
from refute.sandbox.derived import DerivedImage, derive_image
from refute.sandbox.job import Exited
from refute.sandbox.requirements_download import WheelSource
from refute.sandbox.requirements_layer import SEARCH_PATH
from tests.fakes.wheels import FakeWheel

pytestmark = pytest.mark.engine

SLUGTOOLS = FakeWheel(
    name="slugtools",
    files={"slugtools.py": "def main():\n    print('slug')\n"},
    needs=["regex>=1"],
    console_scripts=["slug = slugtools:main", "python3 = slugtools:main"],
)
PYTEST = FakeWheel(name="pytest", version="0.1", files={"pytest.py": "__version__ = '0.1'\n"})


class FullArchivesOnly(EngineClient):
    """An engine that wants every layer in an archive."""

    def load_image(self, data, quiet=None):
        if data.seek(0, 2) < 10_000_000:
            raise APIError("no such blob")
        data.seek(0)
        return super().load_image(data, quiet)


@pytest.fixture
def source(tmp_path) -> WheelSource:
    return WheelSource(cache=tmp_path / "cache", wheelhouse=tmp_path / "house", python="3.11")


@pytest.fixture
def lines(tmp_path) -> list[str]:
    # Every test has an image of its own: one that another test runs cannot be removed.
    own = replace(SLUGTOOLS, files={**SLUGTOOLS.files, "made_for.txt": str(tmp_path)})
    return [wheel.write(tmp_path / "house") for wheel in (own, PYTEST)]


@pytest.fixture
def derived(engine, image_id, source, lines) -> Iterator[DerivedImage]:
    made = derive_image(engine, lines, base_id=image_id, source=source)
    yield made
    with contextlib.suppress(APIError):
        engine.remove_image(made.id, force=True)


def test_the_code_imports_what_the_ticket_requires_in_its_own_versions(derived, sandbox, make_job):
    script = """
        python3 -c 'import pytest, slugtools; print(pytest.__version__)'
        python3 -I -c 'import slugtools; print("isolated")'
        slug
        python3 -c 'import hypothesis; print("ours")'
    """
    job = replace(make_job(script), image_id=derived.id, environment={"PATH": SEARCH_PATH})
    result = sandbox.run(job)
    assert result.end == Exited(code=0), result.stderr
    assert result.stdout.split() == ["0.1", "isolated", "slug", "ours"]


def test_the_driver_s_own_programs_do_not_see_what_the_ticket_requires(derived, sandbox, make_job):
    script = "exec -a python3 python3 -I -c 'import pytest; print(pytest.__file__)' /opt/refute/driver/run_suite.py"
    result = sandbox.run(replace(make_job(script), image_id=derived.id, environment={"PATH": SEARCH_PATH}))
    assert result.stdout.startswith("/usr/local/lib/site-packages/"), result.stderr


def test_it_says_what_it_holds_and_what_nobody_listed(derived):
    assert [str(pin) for pin in derived.pins] == ["pytest==0.1", "slugtools==1.0"]
    assert derived.modules == {"pytest", "slugtools"}
    assert derived.unmet == ("regex",)


def test_it_is_found_again_and_made_again_the_same(derived, engine, image_id, source, lines):
    assert derive_image(engine, lines, base_id=image_id, source=source) == derived
    engine.remove_image(derived.id, force=True)
    assert derive_image(engine, lines, base_id=image_id, source=source) == derived


def test_an_engine_that_wants_every_layer_gets_the_same_image(derived, engine, image_id, source, lines):
    engine.remove_image(derived.id, force=True)
    with contextlib.closing(FullArchivesOnly(version="auto", **kwargs_from_env())) as wanting:
        assert derive_image(wanting, lines, base_id=image_id, source=source) == derived


def test_without_a_requirement_that_applies_the_base_is_enough(engine, image_id, source):
    line = f'colour==1 ; sys_platform == "win32" --hash=sha256:{"a" * 64}'
    assert derive_image(engine, [line], base_id=image_id, source=source) is None
