"""A verdict as signed in-toto statements: one in the standard's words (test-result), one with all of the evidence.

DSSE (https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md), in-toto Statement v1 and test-result v0.1
(https://github.com/in-toto/attestation/tree/v1.0.2/spec), read 2026-11. Two envelopes, a line each: an in-toto bundle.
"""

import base64
import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from refute.errors import RefuteError, UsageError
from refute.governance.gate import GateDocument, read_gate, ticket_digest, write_gate
from refute.governance.policy import LoadedPolicy
from refute.governance.signing import key_id, signed_by
from refute.outcome import ClaimVerdict, Status
from refute.ticket.reading import read_beneath
from refute.ticket.record import Ticket

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT: Final = "https://in-toto.io/Statement/v1"
TEST_RESULT: Final = "https://in-toto.io/attestation/test-result/v0.1"
GATE: Final = "urn:x-refute:gate:v1"
MAX_BYTES: Final = 100_000_000
RESULTS: Final = {Status.PASS: "PASSED", Status.PASS_WEAK: "WARNED", Status.SKIPPED: "WARNED"}
"""Every other status is FAILED."""


class AttestationRefused(RefuteError):
    """An attestation is not genuine, or not about these files and this policy."""


def attest(document: GateDocument, key: Ed25519PrivateKey, *, own: Collection[str] = ()) -> bytes:
    """The bundle: a line for each envelope.

    Args:
        document: the verdict.
        key: signs it.
        own: files that are written with the bundle, itself among them: it is not about these.

    Raises:
        UsageError: nothing was verified.
    """
    if not document.evidence.files:
        raise UsageError(
            f"--attest: {document.ticket_id} ended {document.status} before any file was looked at",
            hint="There is nothing to attest.",
        )
    files = {path: digest for path, digest in document.evidence.files.items() if path not in own}
    attested = replace(document, evidence=replace(document.evidence, files=files))
    return b"".join(_envelope(one, key) for one in _statements(attested))


def _statements(document: GateDocument) -> Iterator[dict[str, Any]]:
    files = sorted(document.evidence.files.items())
    subject = [{"name": path, "digest": {"sha256": digest}} for path, digest in files]
    for kind, predicate in ((TEST_RESULT, _test_result(document)), (GATE, json.loads(write_gate(document)))):
        yield {"_type": STATEMENT, "subject": subject, "predicateType": kind, "predicate": predicate}


def _test_result(document: GateDocument) -> dict[str, Any]:
    named = {"ticket": document.evidence.ticket, "sandbox image": document.provenance.image_id or ""}
    named |= {f"policy {document.policy.name}": document.policy.sha256}
    digests = {name: digest.removeprefix("sha256:") for name, digest in named.items() if digest}
    refuted = [one.claim_id for one in document.claims if one.verdict is ClaimVerdict.REFUTED]
    passed = [one.claim_id for one in document.claims if one.verdict is ClaimVerdict.SURVIVED]
    return {
        "result": RESULTS.get(document.status, "FAILED"),
        "configuration": [{"name": name, "digest": {"sha256": digest}} for name, digest in digests.items()],
        "passedTests": passed,
        "warnedTests": [one.claim_id for one in document.claims if one.claim_id not in {*passed, *refuted}],
        "failedTests": refuted,
    }


def _envelope(statement: dict[str, Any], key: Ed25519PrivateKey) -> bytes:
    payload = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
    signature = {"keyid": key_id(key.public_key()), "sig": base64.b64encode(key.sign(_pae(payload))).decode()}
    return _line(base64.b64encode(payload).decode(), signature)


def _line(payload: str, signature: dict[str, str]) -> bytes:
    envelope = {"payload": payload, "payloadType": PAYLOAD_TYPE, "signatures": [signature]}
    return json.dumps(envelope, separators=(",", ":")).encode() + b"\n"


def _pae(payload: bytes) -> bytes:
    """What is signed: type and payload, each with its length."""
    kind = PAYLOAD_TYPE.encode()
    return b" ".join((b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload))


def check_attestation(bundle: bytes, key: Ed25519PublicKey, ticket: Ticket, policy: LoadedPolicy) -> GateDocument:
    """The verdict of a genuine bundle about exactly these files, this ticket and this policy. Needs no network.

    Args:
        bundle: as it was written.
        key: of whoever may attest.
        ticket: as it stands now; its workspace is read.
        policy: as it stands now.

    Raises:
        AttestationRefused: with the first thing that does not fit.
        UsageError: the verdict is of another version of refute.
    """
    statements = [_opened(line, key) for line in bundle.splitlines(keepends=True)]
    kinds = [one.get("predicateType") for one in statements]
    if kinds != [TEST_RESULT, GATE]:
        raise AttestationRefused(f"attestation: got statements {kinds}, expected {[TEST_RESULT, GATE]}")
    document = read_gate(json.dumps(statements[1]["predicate"]))
    if statements != list(_statements(document)):
        raise AttestationRefused("attestation: its statements contradict each other")
    _check_ticket(document, ticket, policy)
    for path, digest in document.evidence.files.items():
        _check_file(ticket.workspace, path, digest)
    return document


def _opened(line: bytes, key: Ed25519PublicKey) -> dict[str, Any]:
    """The statement of an envelope whose every byte is as it was written."""
    try:
        envelope = json.loads(line)
        payload = base64.b64decode(envelope["payload"], validate=True)
        signature = base64.b64decode(envelope["signatures"][0]["sig"], validate=True)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise AttestationRefused(f"attestation: not a DSSE envelope: {type(error).__name__}") from error
    if envelope.get("payloadType") != PAYLOAD_TYPE or not signed_by(key, signature, _pae(payload)):
        raise AttestationRefused(
            f"attestation: the signature is not that of key {key_id(key)[:16]}",
            hint="It was changed, or another key signed.",
        )
    again = {"keyid": key_id(key), "sig": base64.b64encode(signature).decode()}
    if _line(base64.b64encode(payload).decode(), again) != line:  # what the signature does not cover: names, spaces
        raise AttestationRefused("attestation: its envelope was changed")
    statement = json.loads(payload)
    return statement if isinstance(statement, dict) else {}


def _check_ticket(document: GateDocument, ticket: Ticket, policy: LoadedPolicy) -> None:
    if ticket_digest(ticket) != document.evidence.ticket:
        raise AttestationRefused(f"{ticket.source}: the ticket is not the one that was attested")
    if policy.sha256 != document.policy.sha256:
        got = f"the policy {policy.name}" if policy.sha256 else "no policy"
        was = f"the policy {document.policy.name}" if document.policy.sha256 else "no policy"
        raise AttestationRefused(
            f"attestation: made under {was} ({document.policy.sha256[:16]}), got {got} ({policy.sha256[:16]})",
            hint="Give the same file with --policy.",
        )


def _check_file(workspace: Path, path: str, digest: str) -> None:
    try:
        target = (workspace / path).resolve()  # a link inside the workspace was frozen as what it points to
        data = read_beneath(workspace, target.relative_to(workspace).as_posix(), max_bytes=MAX_BYTES).data
    except (RefuteError, OSError, ValueError, RuntimeError) as error:
        raise AttestationRefused(f"{path}: missing or unreadable: {error}") from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise AttestationRefused(f"{path}: was changed since it was verified", hint="Run the gate again.")
