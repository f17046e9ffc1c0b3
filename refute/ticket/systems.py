"""What is outside a Python process, by the names that programs call to get there."""

from enum import StrEnum
from typing import Final

_PROCESS: Final = (
    *("subprocess", "os.system", "os.popen", "os.spawn", "os.exec", "os.posix_spawn", "os.fork", "pty", "pexpect"),
    *("asyncio.create_subprocess", "sh", "plumbum", "git", "pygit2", "docker", "fabric", "multiprocessing"),
)
_NETWORK: Final = (
    *("socket", "socketserver", "ssl", "urllib.request", "http.client", "http.server", "ftplib", "smtplib", "imaplib"),
    *("poplib", "telnetlib", "nntplib", "xmlrpc", "asyncio.open_connection", "asyncio.start_server", "requests"),
    *("httpx", "aiohttp", "urllib3", "httplib2", "websockets", "websocket", "grpc", "paramiko", "ldap3", "selenium"),
    *("boto3", "botocore", "google.cloud", "azure", "kubernetes", "elasticsearch", "minio", "playwright", "serial"),
)
_DATABASE: Final = (
    *("sqlite3", "dbm", "sqlalchemy", "sqlmodel", "peewee", "django.db", "psycopg", "psycopg2", "asyncpg", "pymysql"),
    *("mysql", "MySQLdb", "aiosqlite", "redis", "pymongo", "motor", "kafka", "pika", "celery", "cassandra", "duckdb"),
)
_FILE: Final = (
    *("open", "io.open", "shutil", "tempfile", "os.replace", "os.rename", "os.remove", "os.unlink", "os.open"),
    *("os.listdir", "os.scandir", "os.walk", "os.mkdir", "os.makedirs"),
)
_NO_CALL: Final = ("Error", "Exception", "Expired", "Warning", "CompletedProcess", "Response")


class Kind(StrEnum):
    """What is outside."""

    PROCESS = "process"
    NETWORK = "network"
    DATABASE = "database"
    FILE = "file"


_KINDS: Final = ((Kind.PROCESS, _PROCESS), (Kind.NETWORK, _NETWORK), (Kind.DATABASE, _DATABASE), (Kind.FILE, _FILE))


def kind_of(dotted: str) -> Kind | None:
    """What a dotted name reaches when it is called; None where that is nothing outside."""
    last = dotted.rpartition(".")[2]
    if last.isupper() or last.endswith(_NO_CALL):
        return None
    for kind, roots in _KINDS:
        for root in roots:
            family = "." in root and kind is not Kind.FILE and dotted.startswith(root)  # os.spawn: os.spawnvp
            if family or f"{dotted}.".startswith(f"{root}."):
                return kind
    return None


def replaced_kind(target: tuple[str, ...]) -> Kind | None:
    """The kind of what a patch replaces, where that is no part of the implementation: `vcs.subprocess.run`."""
    ends = [target[start:] for start in range(len(target)) if len(target) - start > 1 or start == 0]
    return next((kind for end in ends if (kind := kind_of(".".join(end)))), None)
