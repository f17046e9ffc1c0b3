import dataclasses
from pathlib import Path

import pytest

from refute.errors import ImageBuildFailed
from refute.sandbox import image_recipe
from refute.sandbox.image_contents import is_kept, wheel_entries
from refute.sandbox.image_recipe import Recipe, read_recipe


@pytest.fixture
def recipe() -> Recipe:
    scripts = dict.fromkeys(image_recipe.SCRIPTS, b"x")
    return Recipe(python="3.11", machine="x86_64", lock=b"lock", scripts=scripts, driver={"worker.py": b"1"})


def test_a_driver_change_leaves_the_other_layers_alone(recipe: Recipe) -> None:
    changed = dataclasses.replace(recipe, driver={"worker.py": b"2"})
    assert changed.digest != recipe.digest
    assert (changed.wheels_key, changed.rootfs_key) == (recipe.wheels_key, recipe.rootfs_key)


@pytest.mark.parametrize("change", [{"python": "3.13"}, {"machine": "aarch64"}])
def test_another_python_or_machine_is_another_root_file_system(recipe: Recipe, change: dict[str, str]) -> None:
    assert dataclasses.replace(recipe, **change).rootfs_key != recipe.rootfs_key


def test_an_unsupported_python_version_says_which_are_supported() -> None:
    with pytest.raises(ImageBuildFailed, match=r"got python '2\.7', expected one of 3\.11"):
        read_recipe("2.7")


GONE = """etc/shadow etc/machine-id etc/apt/sources.list etc/resolv.conf var/log/dpkg.log root/.bashrc .dockerenv
var/cache/ldconfig/aux-cache usr/share/doc/bash/README tmp/x dev/null var/lib/dpkg/status-old etc/passwd-"""


@pytest.mark.parametrize(("paths", "kept"), [(GONE, []), ("etc/passwd usr/share/doc/bash/copyright root", None)])
def test_identity_secrets_logs_and_caches_go_and_programs_users_and_licences_stay(paths: str, kept) -> None:
    assert [path for path in paths.split() if is_kept(path)] == (paths.split() if kept is None else kept)


def test_the_wheels_are_on_the_path_of_either_kind_of_python() -> None:
    expected = {f"usr/local/lib/python3.11/{kind}-packages/refute.pth" for kind in ("dist", "site")}
    assert expected <= {entry.path for entry in wheel_entries("3.11")}


def test_no_file_of_the_image_names_a_mirror_or_an_index() -> None:
    folder = Path(image_recipe.SANDBOX_FILES)
    assert not [path.name for path in folder.rglob("*") if path.is_file() and b"http" in path.read_bytes()]
