"""Signed verdicts: genuine ones are read offline, and no byte of files, verdict, policy or envelope can be changed."""

import base64
import json
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from refute.errors import RefuteError, UsageError
from refute.governance.attestation import AttestationRefused, attest, check_attestation
from refute.governance.policy import load_policy
from refute.governance.signing import key_id, load_signing_key, load_verifying_key
from refute.outcome import Status
from refute.ticket.parse import load_ticket
from tests.fakes.outcomes import FAILURE

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
PUBLIC = KEY.public_key()


@pytest.fixture
def policy_file(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text("strength_floor: 0.7\n")
    return path


@pytest.fixture
def policy(policy_file):
    return load_policy(policy_file)


@pytest.fixture
def bundle(made, policy):
    return attest(made(policy, failures=(FAILURE,)), KEY)


def test_a_genuine_attestation_gives_the_verdict(made, bundle, ticket, policy):
    document = made(policy, failures=(FAILURE,))
    assert check_attestation(bundle, PUBLIC, ticket, policy) == document


def test_the_statements_are_those_of_in_toto(bundle, policy):
    statements = [json.loads(base64.b64decode(json.loads(line)["payload"])) for line in bundle.splitlines()]
    assert {one["_type"] for one in statements} == {"https://in-toto.io/Statement/v1"}
    standard = statements[0]
    assert standard["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert standard["predicate"]["result"] == "WARNED"  # the policy's floor is not met
    assert {"name": "policy policy.yaml", "digest": {"sha256": policy.sha256}} in standard["predicate"]["configuration"]
    assert [one["name"] for one in standard["subject"]] == ["answer.py", "ticket.yaml", "verify.sh"]


@pytest.mark.slow
def test_no_byte_of_the_envelopes_can_be_changed(bundle, ticket, policy):
    accepted = []
    for position in range(len(bundle)):
        changed = bytearray(bundle)
        changed[position] ^= 1 << position % 8
        try:
            check_attestation(bytes(changed), PUBLIC, ticket, policy)
        except RefuteError:
            continue
        accepted.append(position)
    assert accepted == []


@pytest.mark.parametrize("change", ["", "\n", " ", "{}\n"])
def test_nothing_can_be_added_to_or_cut_off_the_envelopes(bundle, ticket, policy, change):
    lines = bundle.splitlines(keepends=True)
    for changed in (bundle + (change or "x").encode(), bundle[:-1], lines[0], lines[1], lines[1] + lines[0]):
        with pytest.raises(AttestationRefused):
            check_attestation(changed, PUBLIC, ticket, policy)


@pytest.mark.parametrize("name", ["answer.py", "verify.sh", "ticket.yaml"])
def test_no_byte_of_the_files_can_be_changed(bundle, ticket, policy, name):
    file = ticket.workspace / name
    genuine = file.read_bytes()
    for position in range(len(genuine)):
        changed = bytearray(genuine)
        changed[position] ^= 1
        file.write_bytes(changed)
        with pytest.raises(AttestationRefused, match="changed since"):
            check_attestation(bundle, PUBLIC, ticket, policy)


def test_no_byte_of_the_policy_can_be_changed(bundle, ticket, policy_file):
    genuine = policy_file.read_bytes()
    for position in range(len(genuine)):
        changed = bytearray(genuine)
        changed[position] ^= 1
        policy_file.write_bytes(changed)
        with pytest.raises(RefuteError):
            check_attestation(bundle, PUBLIC, ticket, load_policy(policy_file))
    with pytest.raises(AttestationRefused, match="got no policy"):
        check_attestation(bundle, PUBLIC, ticket, load_policy(None))


def test_a_file_that_is_gone_and_another_ticket_are_refused(bundle, ticket, policy, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text((ticket.workspace / "ticket.yaml").read_text().replace("42", "43") + "workspace: ticket\n")
    with pytest.raises(AttestationRefused, match="not the one that was attested"):
        check_attestation(bundle, PUBLIC, load_ticket(other), policy)
    (ticket.workspace / "verify.sh").unlink()
    with pytest.raises(AttestationRefused, match=r"verify\.sh"):
        check_attestation(bundle, PUBLIC, ticket, policy)


def test_another_key_verifies_nothing(bundle, ticket, policy):
    other = Ed25519PrivateKey.generate().public_key()
    with pytest.raises(AttestationRefused, match="not that of key"):
        check_attestation(bundle, other, ticket, policy)


def test_what_ended_before_its_files_were_looked_at_is_not_attested(made):
    document = made(status=Status.ERROR)
    bare = replace(document, evidence=replace(document.evidence, files={}))
    with pytest.raises(UsageError, match="nothing to attest"):
        attest(bare, KEY)


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def test_keys_come_from_a_file_or_as_text(tmp_path):
    text = pem(KEY)
    (tmp_path / "gate.pem").write_text(text)
    public = PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert key_id(load_signing_key(str(tmp_path / "gate.pem")).public_key()) == key_id(PUBLIC)
    assert key_id(load_verifying_key(public)) == key_id(load_verifying_key(text)) == key_id(PUBLIC)
    with pytest.raises(UsageError, match="expected the private one"):
        load_signing_key(public)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "is needed"),
        ("/nowhere/gate.pem", "cannot be read"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not an unencrypted PEM key"),
        (pem(X25519PrivateKey.generate()), "expected Ed25519"),
    ],
)
def test_what_is_no_key_is_refused(given, told):
    with pytest.raises(UsageError, match=told):
        load_signing_key(given)
