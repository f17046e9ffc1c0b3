"""The image on the real engine. The base comes from a registry on loopback, so that no test waits for debootstrap."""

import json
import platform
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import docker
import pytest
from docker.errors import ImageNotFound

from refute.errors import EngineUnavailable, ImageBuildFailed
from refute.sandbox import image_recipe
from refute.sandbox.image import SandboxImage, _stage, build_image, find_image
from refute.sandbox.image_layers import Workbench, build_wheels
from refute.sandbox.image_pack import Layer, digest_of
from refute.sandbox.image_recipe import read_recipe
from tests.fakes.registry import registry_serving

# They share a registry and a cache of layers: another worker would build everything again.
pytestmark = [pytest.mark.engine]

Run = Callable[[str], str]


def silent(_: str) -> None:
    """Progress that nobody watches."""


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    engine = docker.from_env(timeout=600)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def image(client: docker.DockerClient) -> SandboxImage:
    return build_image(client, progress=silent)


@contextmanager
def container_of(client: docker.DockerClient, image: SandboxImage) -> Iterator[Run]:
    """What a script prints, in a container of the image that is there for all of them."""
    options = {"network_mode": "none", "read_only": True, "user": "65532:65532", "tmpfs": {"/tmp": ""}}
    container = client.containers.run(image.id, ["sleep", "3600"], detach=True, **options)

    def run(script: str) -> str:
        code, said = container.exec_run(["bash", "-c", script])
        assert code == 0, said
        return str(said.decode())

    try:
        yield run
    finally:
        container.remove(force=True)


@pytest.fixture(scope="module")
def run(client: docker.DockerClient, image: SandboxImage) -> Iterator[Run]:
    with container_of(client, image) as made:
        yield made


def test_an_image_that_is_there_is_found_without_building(client, image) -> None:
    assert find_image(client) == image
    assert build_image(client, progress=pytest.fail) == image


def test_an_image_of_another_recipe_is_not_found(client, image, monkeypatch, tmp_path) -> None:
    (tmp_path / "worker.py").write_text("changed = True\n")
    monkeypatch.setattr(image_recipe, "DRIVER_SOURCES", tmp_path)
    assert find_image(client) is None


def test_the_image_names_its_origin_and_runs_as_nobody(client, image) -> None:
    config = client.images.get(image.id).attrs["Config"]
    assert config["User"] == "65532:65532"
    assert config["Labels"][image_recipe.LABEL_RECIPE] == image.recipe_digest
    assert config["Labels"][image_recipe.LABEL_SOURCE] == image.source
    assert image.source.startswith(("registry python@sha256:", "debootstrap "))


def test_pytest_and_hypothesis_are_importable_and_on_the_path(run) -> None:
    script = (
        "cd /tmp && printf 'from hypothesis import given, strategies as st\\n@given(st.integers())\\n"
        "def test_x(n): assert n == n\\n' >test_x.py && PYTHONDONTWRITEBYTECODE=1 {} -q -p no:cacheprovider test_x.py"
    )
    for command in ("pytest", "python -m pytest", "/usr/bin/python3 -m pytest"):
        assert "1 passed" in run(script.format(command))


def test_nothing_in_the_image_is_setuid_or_setgid_and_jobs_can_read_what_was_installed(run) -> None:
    assert run("find / -xdev -perm /6000 2>/dev/null; true") == ""
    assert run("find /usr/local /opt ! -readable") == ""


def test_python_starts_from_byte_code_alone(run) -> None:
    """Else every start on the read-only root would compile the library anew."""
    loaded = run("python -v -c 'import asyncio, json, pytest, hypothesis' 2>&1")
    assert "could not create" not in loaded
    assert "matches /usr/lib/python3.11/json/decoder.py" in loaded or "code object from" in loaded
    assert not [line for line in loaded.splitlines() if line.startswith("# code object from") and ".pyc" not in line]


def test_the_driver_lies_in_the_image_as_in_the_checkout(run) -> None:
    sums = run("cd /opt/refute/driver && find . -name '*.py' -exec sha256sum {} +").split()
    assert len(sums) // 2 == len(read_recipe("3.11").driver)


def test_the_image_holds_no_identity_of_the_machine_that_built_it(run) -> None:
    names = "/etc/machine-id /etc/shadow /etc/apt/sources.list /var/lib/apt/lists /var/log/dpkg.log"
    assert run(f"ls -d {names} 2>/dev/null; true") == ""


def test_two_builds_at_once_build_once(client, image) -> None:
    found: list[SandboxImage] = []
    threads = [threading.Thread(target=lambda: found.append(build_image(client, progress=silent))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [image] * 4


def test_an_engine_that_does_not_answer_is_its_own_error(tmp_path) -> None:
    gone = docker.DockerClient(base_url=f"unix://{tmp_path}/no.sock", version="1.41")
    with pytest.raises(EngineUnavailable, match="does not answer") as caught:
        find_image(gone)
    assert "DOCKER_HOST" in caught.value.hint


@pytest.fixture(scope="module")
def served(client, image, tmp_path_factory) -> Iterator[str]:
    """Our own root layer as a base in a registry: taken over, compiled and cleaned again, it must stay as it is."""
    folder = tmp_path_factory.mktemp("served")
    archive, layer = folder / "image.tar", folder / "layer.tar"
    with archive.open("wb") as file:
        file.writelines(client.images.get(image.id).save())
    with tarfile.open(archive) as saved, layer.open("wb") as file:
        manifest = json.load(saved.extractfile("manifest.json"))
        shutil.copyfileobj(saved.extractfile(manifest[0]["Layers"][0]), file)
    archive.unlink()
    with registry_serving(layer) as reference:
        yield reference
        with suppress(ImageNotFound):
            client.images.remove(reference)


@pytest.fixture(scope="module")
def layers_cache(served, tmp_path_factory) -> Path:
    """A cache that has no layers yet, and knows the base that the registry serves."""
    folder = tmp_path_factory.mktemp("layers")
    (folder / f"base-3.11-{platform.machine()}.txt").write_text(f"{served}\n")
    return folder


@pytest.fixture
def another_recipe(client, monkeypatch) -> Iterator[None]:
    """One whose image the engine does not have; it gives the same layers."""
    monkeypatch.setattr(image_recipe, "RECIPE_VERSION", "of a test")
    yield
    forget(client)


def forget(client: docker.DockerClient) -> None:
    for name in _tags(client, read_recipe("3.11")):
        with suppress(ImageNotFound):
            client.images.remove(name)


def _tags(client: docker.DockerClient, recipe: image_recipe.Recipe) -> list[str]:
    found = client.api.images(filters={"label": f"{image_recipe.LABEL_RECIPE}={recipe.digest}"})
    return [tag for summary in found for tag in summary["RepoTags"] or ()]


@pytest.mark.usefixtures("another_recipe")
def test_a_build_from_nothing_over_a_registry_gives_the_same_layers_again(client, image, served, layers_cache) -> None:
    said: list[str] = []
    built = build_image(client, cache=layers_cache, progress=said.append)
    assert said[0] == f"pulling {served}"
    assert built.source == f"registry {served}"
    assert _layers(client, built) == _layers(client, image)
    with container_of(client, built) as run_there:
        assert "imported" in run_there("python -c 'import pytest, hypothesis; print(\"imported\")'")


def _layers(client: docker.DockerClient, image: SandboxImage) -> list[str]:
    return client.images.get(image.id).attrs["RootFS"]["Layers"]


@pytest.mark.usefixtures("another_recipe")
def test_a_packed_image_that_the_engine_lost_comes_back_with_the_same_id(client, layers_cache) -> None:
    first = build_image(client, cache=layers_cache, progress=silent)
    forget(client)
    said: list[str] = []
    assert build_image(client, cache=layers_cache, progress=said.append) == first
    assert said == ["loading the image into the engine"]


def test_a_failing_step_shows_the_containers_last_lines(client, image, tmp_path) -> None:
    recipe = read_recipe("3.11")
    broken = replace(recipe, scripts={**recipe.scripts, "wheels.sh": b"echo no space left; exit 7"})
    bench = Workbench(client=client, recipe=broken, cache=tmp_path, progress=silent)
    with pytest.raises(ImageBuildFailed, match=r"(?s)wheels\.sh exited with 7.*no space left"):
        build_wheels(bench, image.id)
    assert not list(tmp_path.glob("*.tar"))
    assert not client.containers.list(all=True, filters={"label": f"refute.sandbox.build={broken.digest}"})


def test_wheels_that_do_not_match_their_hashes_are_refused(client, image, tmp_path) -> None:
    forged = replace(read_recipe("3.11"), lock=b"iniconfig==2.3.1 --hash=sha256:" + b"0" * 64)
    with pytest.raises(ImageBuildFailed, match="locked wheels cannot be installed"):
        build_wheels(Workbench(client=client, recipe=forged, cache=tmp_path, progress=silent), image.id)


def test_builds_at_the_same_time_leave_one_another_s_stage_alone(client, image, tmp_path: Path) -> None:
    bench = Workbench(client=client, recipe=read_recipe("3.11"), cache=tmp_path, progress=silent)
    packed = tmp_path / "layer.tar"
    with tarfile.open(packed, "w"):
        pass
    layer = Layer(path=packed, digest=digest_of(packed))
    with _stage(bench, layer, "a test") as outer:
        with _stage(bench, layer, "a test") as inner:
            assert inner == outer
        assert client.images.get(outer).tags
    with pytest.raises(ImageNotFound):
        client.images.get(outer)
