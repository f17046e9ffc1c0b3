"""Ed25519 keys that sign verdicts: PEM text, from a file or an environment variable."""

import hashlib
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from refute.errors import UsageError

HINT: Final = (
    "Make one: openssl genpkey -algorithm ed25519 -out gate.pem; the public half: openssl pkey -in gate.pem -pubout."
)
PEM: Final = "-----BEGIN "


def key_id(key: Ed25519PublicKey) -> str:
    """SHA-256 of the key (SubjectPublicKeyInfo, DER)."""
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def signed_by(key: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    """Whether the key's owner signed the message."""
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def load_signing_key(given: str | None) -> Ed25519PrivateKey:
    """The private key.

    Args:
        given: a path, or the PEM text itself.

    Raises:
        UsageError: there is none, or it is no unencrypted Ed25519 key.
    """
    key = _load(given, "private")
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("--key: got a public key, expected the private one to sign with", hint=HINT)
    return key


def load_verifying_key(given: str | None) -> Ed25519PublicKey:
    """The public key; a private one is taken for its public half. Arguments and errors as above."""
    key = _load(given, "public")
    return key.public_key() if isinstance(key, Ed25519PrivateKey) else key


def _load(given: str | None, half: str) -> Ed25519PrivateKey | Ed25519PublicKey:
    if not given:
        raise UsageError(f"a {half} Ed25519 key is needed: give --key FILE, or set REFUTE_GATE_KEY", hint=HINT)
    try:
        pem = given.encode() if given.lstrip().startswith(PEM) else Path(given).read_bytes()
    except OSError as error:
        raise UsageError(f"--key {given}: cannot be read: {error.strerror}", hint=HINT) from error
    try:
        found = load_pem_public_key(pem) if b"PUBLIC KEY" in pem else load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UsageError(f"--key: not an unencrypted PEM key: {type(error).__name__}", hint=HINT) from error
    if not isinstance(found, Ed25519PrivateKey | Ed25519PublicKey):
        raise UsageError("--key: got a key of another kind, expected Ed25519", hint=HINT)
    return found
