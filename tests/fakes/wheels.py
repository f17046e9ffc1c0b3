"""Wheels made by hand, so that no test needs a package index."""

import base64
import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeWheel:
    """What to put into a wheel."""

    name: str
    version: str = "1.0"
    files: Mapping[str, str] = field(default_factory=dict)
    tag: str = "py3-none-any"
    needs: Sequence[str] = ()
    console_scripts: Sequence[str] = ()

    def write(self, folder: Path) -> str:
        """Write it below `folder`; returns the line that requires it."""
        folder.mkdir(parents=True, exist_ok=True)
        info = f"{self.name}-{self.version}.dist-info"
        needs = "".join(f"Requires-Dist: {need}\n" for need in self.needs)
        files = {
            **self.files,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {self.version}\n{needs}",
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {self.tag}\n",
        }
        if self.console_scripts:
            files[f"{info}/entry_points.txt"] = "[console_scripts]\n" + "\n".join(self.console_scripts) + "\n"
        record = "".join(f"{path},sha256={_digest(text)},{len(text.encode())}\n" for path, text in files.items())
        files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
        path = folder / f"{self.name}-{self.version}-{self.tag}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(zipfile.ZipInfo(name), text)
        return f"{self.name}=={self.version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
