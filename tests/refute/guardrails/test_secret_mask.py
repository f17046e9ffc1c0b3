"""Recognisable secrets are masked; what only looks a little like one is left."""

import pytest

from refute.guardrails.secret_mask import MASK, mask_secrets, names_secret


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
        ("-----BEGIN PRIVATE KEY-----\ncut off", MASK),
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
