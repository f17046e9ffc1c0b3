"""Recognisable secrets are masked; what only looks a little like one is left."""

import tomllib
from pathlib import Path

import pytest

from refute.guardrails import secret_mask
from refute.guardrails.secret_mask import MASK, mask_secrets, names_secret, secret_shapes

ROWS = tomllib.loads((Path(secret_mask.__file__).parent / "secrets.toml").read_text(encoding="utf-8"))["secret"]
SHAPES = {shape.id: shape for shape in secret_shapes()}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("ghp_" + "a" * 36, MASK),
        ("AIza" + "b" * 35, MASK),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.abc", MASK),
        ("postgresql://me:pa55word@db/x", f"postgresql://me:{MASK}@db/x"),
        ("Authorization: Bearer abcdef123456789", f"Authorization: Bearer {MASK}"),
        ("DB_PASSWORD='a b c' next", f"DB_PASSWORD={MASK} next"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", MASK),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC", MASK),
        ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nabc=\n-----END RSA PRIVATE KEY-----", MASK),
        ("k = '-----BEGIN EC PRIVATE KEY-----\\nabc\\n-----END EC PRIVATE KEY-----'", f"k = '{MASK}'"),
    ],
)
def test_a_secret_of_a_known_shape_is_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


@pytest.mark.parametrize(
    "text", ["sha256:" + "a" * 64, "the token was refused", "input_tokens: 512", "http://host:8080/path", "C1"]
)
def test_ordinary_text_is_left(text: str) -> None:
    assert mask_secrets(text) == text


@pytest.mark.parametrize("name", ["token", "API_KEY", "gemini-api-key", "db_password", "Authorization", "cookies"])
def test_a_field_is_secret_by_its_name(name: str) -> None:
    assert names_secret(name)


@pytest.mark.parametrize("name", ["input_tokens", "monkey", "author", "digest"])
def test_other_names_are_not_secret(name: str) -> None:
    assert not names_secret(name)


@pytest.mark.parametrize(("name", "example"), [(row["id"], one) for row in ROWS for one in row["matches"]])
def test_a_shape_finds_its_examples(name: str, example: str) -> None:
    assert SHAPES[name].regex.search(example)
    assert MASK in mask_secrets(f"before {example} after")


@pytest.mark.parametrize("example", [one for row in ROWS for one in row["harmless"]])
def test_no_shape_finds_what_is_harmless(example: str) -> None:
    assert mask_secrets(example) == example


def test_code_keeps_what_is_a_secret_only_by_its_name() -> None:
    code = "token = read()\npassword='a b'\nkey = 'AKIAIOSFODNN7EXAMPLE'"
    assert mask_secrets(code, labelled=False) == f"token = read()\npassword='a b'\nkey = '{MASK}'"


def test_a_key_that_never_ends_hides_nothing_after_it() -> None:
    code = "# -----BEGIN PRIVATE KEY-----\ndef steal(x):\n    return x\n# -----END PRIVATE KEY-----\n"
    assert mask_secrets(code, labelled=False) == code.replace("-----BEGIN PRIVATE KEY-----\n", f"{MASK}")
