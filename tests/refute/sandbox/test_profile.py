import json
from typing import Any

import pytest

from refute.sandbox.profile import container_config, environment, profile_digest, seccomp_profile
from tests.fakes.jobs import bash_job

GIB = 1024**3


def config(**more: Any) -> dict[str, Any]:
    return container_config(bash_job("true", **more), labels={"refute": "1"}, cpus_available=64)


def rules() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for group in json.loads(seccomp_profile())["syscalls"]:
        for name in group["names"]:
            found.setdefault(name, []).append(group)
    return found


def test_the_profile_holds_every_flag() -> None:
    size = {"Memory": 2 * GIB, "MemorySwap": 2 * GIB, "NanoCpus": 2_000_000_000, "ShmSize": 64 * 1024**2}
    apart = {"NetworkMode": "none", "IpcMode": "private", "CgroupnsMode": "private", "LogConfig": {"Type": "none"}}
    flags = {"CapDrop": ["ALL"], "ReadonlyRootfs": True, "PidsLimit": 256, "AutoRemove": True, "Init": False}
    expected = {**size, **apart, **flags, "Privileged": False}
    found = config()["HostConfig"]
    assert {key: found[key] for key in expected} == expected


def test_the_process_can_gain_no_privileges_and_is_filtered_by_our_own_list() -> None:
    options = config()["HostConfig"]["SecurityOpt"]
    assert options == ["no-new-privileges:true", f"seccomp={seccomp_profile()}"]


def test_nothing_of_the_host_is_mounted_and_every_writable_place_has_a_quota_of_bytes_and_inodes() -> None:
    host = config(attack_files={"plan.json": b"{}"})["HostConfig"]
    assert "Binds" not in host
    assert {mount["Type"] for mount in host["Mounts"]} == {"volume"}
    drivers = [mount["VolumeOptions"]["DriverConfig"]["Options"] for mount in host["Mounts"]]
    assert {driver["type"] for driver in drivers} == {"tmpfs", "devpts"}
    options = [driver["o"] for driver in drivers if driver["type"] == "tmpfs"]
    for option in [*options, *host["Tmpfs"].values()]:
        assert all(word in option for word in ("size=", "nr_inodes=", "nosuid,nodev")), option
    terminals = [driver["o"] for driver in drivers if driver["type"] == "devpts"]
    assert terminals == ["max=64,mode=0620,ptmxmode=0666,nosuid,noexec"], "of its own, and few of them"


def test_gvisor_brings_terminals_of_its_own() -> None:
    under_gvisor = container_config(bash_job("true"), labels={}, cpus_available=1, runtime="runsc")["HostConfig"]
    assert {mount["Target"] for mount in under_gvisor["Mounts"]} == {"/workspace", "/home"}


def test_no_more_processors_are_asked_for_than_the_engine_has() -> None:
    asked = container_config(bash_job("true"), labels={}, cpus_available=1)
    assert asked["HostConfig"]["NanoCpus"] == 1_000_000_000


def test_a_container_ends_itself_a_minute_after_its_deadline() -> None:
    assert config(limits={"timeout_s": 300})["Cmd"][-2:] == ["sleep", "360"]


def test_volumes_carry_the_labels_of_their_container() -> None:
    made = config()
    assert [mount["VolumeOptions"]["Labels"] for mount in made["HostConfig"]["Mounts"]] == [made["Labels"]] * 3


@pytest.mark.parametrize("name", ["A=B", "", "A B", "1A", "A\nB"])
def test_a_variable_that_could_become_a_command_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="environment of job 'verify'"):
        environment(bash_job("true", environment={name: "x"}))


def test_whatever_is_not_listed_is_refused() -> None:
    assert json.loads(seccomp_profile())["defaultAction"] == "SCMP_ACT_ERRNO"


def test_files_cannot_be_leased_by_any_spelling_of_the_command() -> None:
    assert all([argument["op"] for argument in rule["args"]] == ["SCMP_CMP_EQ"] for rule in rules()["fcntl"])
    assert 1024 not in {rule["args"][0]["value"] for rule in rules()["fcntl"]}


def setsockopt_is_allowed(level: int, option: int) -> bool:
    arguments = {1: level, 2: option}

    def matches(rule: dict[str, Any]) -> bool:
        return all(
            arguments[each["index"]] == each["value"]
            if each["op"] == "SCMP_CMP_EQ"
            else arguments[each["index"]] & each["value"] == each["valueTwo"]
            for each in rule["args"]
        )

    return any(matches(rule) for rule in rules()["setsockopt"])


def test_every_option_of_sockets_can_be_set_but_the_one_that_loads_modules_of_the_kernel() -> None:
    levels = (0, 1, 6, 17, 41, 58, 255)
    assert {
        (level, option) for level in levels for option in range(128) if not setsockopt_is_allowed(level, option)
    } == {(6, 31)}
    assert not any(setsockopt_is_allowed(6 + high, 31 + low) for high in (0, 1 << 32) for low in (0, 1 << 32))


def test_the_digest_stands_for_the_profile_and_stays() -> None:
    assert profile_digest() == profile_digest()
    assert len(profile_digest()) == 64
