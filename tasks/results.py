"""Where Prefect keeps the results of stages: signed files, in which nothing is parsed before its signature holds.

A result file of Prefect names the serializer that reads it: one edited to say `pickle` would run code at the next hit
(spec 09, measured). So the signature is checked first, and what does not hold counts as not cached.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from prefect.context import get_run_context
from prefect.filesystems import WritableFileSystem
from prefect.results import ResultStore
from prefect.serializers import JSONSerializer
from prefect.transactions import CommitMode, transaction
from pydantic import PrivateAttr

from refute.settings import Settings
from refute.signed_folder import SignedFolder, Unusable, signing_key

SEPARATOR: Final = "-"
"""Between stage and key. Prefect also writes exceptions, under names without one: those are of no use to anybody."""


class SignedResults(WritableFileSystem):
    """A folder of signed results, as the storage block that Prefect's result store asks for."""

    _folder: SignedFolder = PrivateAttr()
    _warn: Callable[[str], None] = PrivateAttr()

    @classmethod
    def of(cls, settings: Settings, warn: Callable[[str], None]) -> "SignedResults":
        """The results of a state directory, or of the folder that several machines share.

        Args:
            settings: name the place and the key.
            warn: is told of a file that does not count.
        """
        made = cls()
        made._folder = SignedFolder(settings.results_path, key=signing_key(settings))
        made._warn = warn
        return made

    def read_path(self, path: str, *, _sync: bool = True) -> bytes:  # type: ignore[override]  # as Prefect calls it
        """The content of a result file.

        Raises:
            FileNotFoundError: there is none that counts; one that is there and does not is told.
        """
        try:
            content = self._folder.read(path)
        except Unusable as error:
            self._warn(f"a cached result was not used, {self._folder.file(path)}: {error}")
            content = None
        if content is None:
            raise FileNotFoundError(path)
        return content

    def write_path(self, path: str, content: bytes, *, _sync: bool = True) -> None:  # type: ignore[override]  # as above
        """Sign and keep; a folder that cannot be written costs a warning and no result."""
        if SEPARATOR not in path:
            return
        try:
            self._folder.write(path, content)
        except OSError as error:
            self._warn(f"a result could not be cached: {error}")

    def remove(self, path: str) -> None:
        """Forget a result."""
        self._folder.remove(path)

    def _resolve_path(self, path: str) -> None:
        """Keys are names in the folder, not paths: Prefect asks."""
        del path


def results_store(storage: SignedResults) -> ResultStore:
    """The result store over it: JSON alone."""
    return ResultStore(result_storage=storage, serializer=JSONSerializer(), cache_result_in_memory=False)


@contextmanager
def results_kept_in(storage: SignedResults) -> Iterator[None]:
    """Have the tasks of this block keep and find their results there, each as soon as it has ended.

    Without `EAGER` a task nested in another commits with it: SIGKILL in the sixth stage of a ticket lost all before it.
    """
    context: Any = get_run_context()
    with (
        context.model_copy(update={"result_store": results_store(storage)}),
        transaction(commit_mode=CommitMode.EAGER),
    ):
        yield
