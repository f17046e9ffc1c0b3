"""Builds the sandbox image and prints its ID; what `make image` runs."""

import sys

import docker

from refute.errors import RefuteError
from refute.sandbox.image import build_image


def main() -> int:
    """One line per step on stderr, the image ID on stdout."""
    try:
        image = build_image(
            docker.from_env(timeout=600), progress=lambda line: print(f"image: {line}", file=sys.stderr)
        )
    except RefuteError as error:
        print(f"image: {error}", file=sys.stderr)
        return 1
    print(f"{image.id} (Python {image.python}, {image.source})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
