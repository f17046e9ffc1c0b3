"""What compose and Kubernetes files promise: no secret, no privilege but the engine's, an API for workers alone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.orchestrator.keeper import SERVER_ENVIRONMENT

DEPLOYMENTS = Path(__file__).resolve().parents[2] / "deployments"
COMPOSE = yaml.safe_load((DEPLOYMENTS / "compose.yaml").read_text())
RESOURCES = [
    resource
    for path in sorted((DEPLOYMENTS / "kubernetes").glob("*.yaml"))
    for resource in yaml.safe_load_all(path.read_text())
]


def pods() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(workload/container, the pod's specification, the container's)."""
    for resource in RESOURCES:
        template = resource.get("spec", {}).get("template")
        if template:
            pod = template["spec"]
            for one in [*pod.get("initContainers", []), *pod["containers"]]:
                yield f"{resource['metadata']['name']}/{one['name']}", pod, one


PODS = [pytest.param(pod, container, id=name) for name, pod, container in pods()]
UNPRIVILEGED = [case for case in PODS if "engine" not in str(case.id).split("/")]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in RESOURCES if one["kind"] == kind}


@pytest.mark.parametrize(("pod", "container"), UNPRIVILEGED)
def test_a_container_has_no_privilege_and_cannot_write_its_root(pod, container):
    context = {**pod["securityContext"], **container["securityContext"]}
    assert context["runAsNonRoot"] is True
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}


@pytest.mark.parametrize(("pod", "container"), PODS)
def test_a_container_has_limits_and_its_pod_no_token_and_no_path_of_the_node(pod, container):
    assert {"cpu", "memory"} <= container["resources"]["limits"].keys()
    assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
    assert pod["automountServiceAccountToken"] is False
    assert not any("hostPath" in volume for volume in pod["volumes"])
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
    assert {one["name"] for one in container.get("volumeMounts", [])} <= {one["name"] for one in pod["volumes"]} | {
        claim["metadata"]["name"]
        for workload in of_kind("StatefulSet").values()
        for claim in workload["spec"]["volumeClaimTemplates"]
    }


@pytest.mark.parametrize(("pod", "container"), PODS)
def test_secrets_come_by_reference_to_one_secret(pod, container):
    for variable in container.get("env", []):
        if re.search("AUTH|PASSWORD|LEDGER_URL|CONNECTION_URL|API_KEY|RUNS_KEY", variable["name"]):
            assert variable["valueFrom"]["secretKeyRef"]["name"] == "refute"
    assert "Secret" not in {one["kind"] for one in RESOURCES}


def test_services_and_policies_select_what_is_there_and_the_api_is_reached_by_workers_alone():
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in RESOURCES if "template" in one.get("spec", {})]
    for service in of_kind("Service").values():
        assert service["spec"]["selector"] in labels
    (rule,) = of_kind("NetworkPolicy")["refute-server"]["spec"]["ingress"]
    (source,) = rule["from"]
    (expression,) = source["podSelector"]["matchExpressions"]
    assert set(expression["values"]) == {"refute-worker", "refute-apply"}
    assert of_kind("NetworkPolicy")["refute-worker"]["spec"]["ingress"] == []


def test_operators_can_neither_enter_pods_nor_read_secrets():
    granted = {resource for rule in of_kind("Role")["refute-operator"]["rules"] for resource in rule["resources"]}
    assert not granted & {"pods/exec", "pods/attach", "secrets", "*"}


def test_composed_services_have_no_privilege_limits_and_no_secret_written_down():
    for name, service in COMPOSE["services"].items():
        assert "privileged" not in service
        if name != "database":
            assert service["cap_drop"] == ["ALL"]
            assert service["read_only"] is True
        for value in service.get("environment", {}).values():
            assert not re.search(r"://[^$@/]*:[^$@/]+@", value), f"{name}: a password in {value}"
    required = re.findall(r"\$\{(\w+):\?", (DEPLOYMENTS / "compose.yaml").read_text())
    assert {"REFUTE_DB_PASSWORD", "REFUTE_API_AUTH", "DOCKER_GID"} <= set(required)


def test_the_composed_api_asks_for_a_password_and_is_published_on_this_machine_alone():
    server = COMPOSE["services"]["server"]
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
    assert "PREFECT_SERVER_API_AUTH_STRING" in server["environment"]
    assert {name for name, one in COMPOSE["services"].items() if "ports" in one} == {"server"}
    assert COMPOSE["networks"]["data"]["internal"] is True


def test_a_worker_has_room_for_unattended_runs_however_many_questions_wait():
    containers = {str(case.id): case.values[1] for case in PODS}
    apply = next(one for name, one in containers.items() if name.endswith("/apply"))
    worker = next(one for name, one in containers.items() if name.endswith("/worker"))
    asking = next(int(one["value"]) for one in apply["env"] if one["name"] == "REFUTE_ATTENDED_RUNS")
    limit = int(worker["command"][worker["command"].index("--limit") + 1])
    assert limit >= asking + 2, "the nightly batch, and the hourly report beside it"


def test_a_team_s_server_forgets_old_runs_as_a_local_one_does():
    wanted = {name: value for name, value in SERVER_ENVIRONMENT.items() if "DB_VACUUM" in name}
    (server,) = of_kind("Deployment")["refute-server"]["spec"]["template"]["spec"]["containers"]
    assert wanted
    assert wanted.items() <= COMPOSE["services"]["server"]["environment"].items()
    assert wanted.items() <= {one["name"]: one.get("value") for one in server["env"]}.items()
