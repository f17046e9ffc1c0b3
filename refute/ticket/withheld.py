"""What never enters a snapshot: version control, credentials, and (outside git) caches. Rules as data.

The names are those that the owning tools document as holding secrets; a name is judged without looking at the content,
because a wrong guess in the other direction would hand a key to generated code.
"""

import re
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

VERSION_CONTROL: Final = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
CACHES: Final = frozenset(
    {
        "__pycache__",
        ".venv",
        "node_modules",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".eggs",
        ".ipynb_checkpoints",
        ".import_linter_cache",
    }
)
SECRET_DIRECTORIES: Final = frozenset({".aws", ".ssh", ".gnupg", ".azure", ".password-store"})
COMPILED: Final = "__pycache__"
"""Python runs what lies here in the place of the source beside it, and nobody reads it."""
_SECRET_NAMES: Final = (
    ".env",
    ".env.*",
    ".envrc",
    "*.env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.gpg",
    "*.tfstate",
    "*.tfstate.backup",
    "*.tfvars",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".gitcookies",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".s3cfg",
    ".boto",
    ".vault-token",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.y*ml",
    "client_secret*.json",
    "service[-_]account*.json",
    "application_default_credentials.json",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "kubeconfig",
)
_EXAMPLES: Final = (".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", "sample.env")
_SECRET_PATHS: Final = (
    ".config/gcloud",
    ".config/gh/hosts.yml",
    ".docker/config.json",
    ".kube/config",
    ".gem/credentials",
    ".cargo/credentials*",
)
_PRIVATE_KEY: Final = re.compile(rb"\s*-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----")


def withheld_reason(path: str) -> str | None:
    """Why a path is never snapshotted, or None.

    Args:
        path: POSIX, relative to the workspace.
    """
    parts = PurePosixPath(path.lower()).parts
    if VERSION_CONTROL.intersection(parts):
        return "version control"
    if COMPILED in parts:
        return "compiled code, which would run instead of its source"
    if SECRET_DIRECTORIES.intersection(parts):
        return "directory of credentials"
    name = parts[-1] if parts else ""
    if name not in _EXAMPLES and any(fnmatchcase(name, pattern) for pattern in _SECRET_NAMES):
        return "may hold credentials (by its name)"
    tails = ("/".join(parts[start : start + length]) for start in range(len(parts)) for length in (2, 3))
    if any(fnmatchcase(tail, pattern) for tail in tails for pattern in _SECRET_PATHS):
        return "may hold credentials (by its path)"
    return None


def content_reason(content: bytes) -> str | None:
    """Why a file is never snapshotted, judged by how it begins, or None."""
    return "is a private key (by its content)" if _PRIVATE_KEY.match(content[:200]) else None
