"""A container registry on loopback that serves one image of one layer; engines pull from loopback without TLS."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.fakes.web import Handler, serving

_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


@contextmanager
def registry_serving(layer: Path, name: str = "python") -> Iterator[str]:
    """Serves the layer (an uncompressed tar) as an image; yields its reference by digest."""
    with layer.open("rb") as file:
        diff_id = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    rootfs = {"type": "layers", "diff_ids": [diff_id]}
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": rootfs}).encode()
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": _described("application/vnd.docker.container.image.v1+json", config),
            "layers": [
                {
                    "mediaType": "application/vnd.docker.image.rootfs.diff.tar",
                    "size": layer.stat().st_size,
                    "digest": diff_id,
                }
            ],
        }
    ).encode()
    blobs = {_digest(config): config, diff_id: layer, _digest(manifest): manifest}
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), _handler(blobs, manifest))) as server:
        yield f"127.0.0.1:{server.server_port}/{name}@{_digest(manifest)}"


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _described(media_type: str, content: bytes) -> dict[str, object]:
    return {"mediaType": media_type, "size": len(content), "digest": _digest(content)}


def _handler(blobs: dict[str, bytes | Path], manifest: bytes) -> type[Handler]:
    class Registry(Handler, BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(body=True)

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def _answer(self, *, body: bool) -> None:
            if self.path == "/v2/":
                self._told(b"{}", "application/json", body=body)
                return
            kind, wanted = self.path.split("/")[-2:]
            found = manifest if kind == "manifests" and not wanted.startswith("sha256:") else blobs.get(wanted)
            if found is None:
                self.send_error(404)
                return
            media_type = _MANIFEST if kind == "manifests" else "application/octet-stream"
            self._told(found if isinstance(found, bytes) else found.read_bytes(), media_type, body=body)

        def _told(self, content: bytes, media_type: str, *, body: bool) -> None:
            told = {"content_length": str(len(content)), "docker_content_digest": _digest(content)}
            self.send(200, content if body else b"", content_type=media_type, **told)

    return Registry
