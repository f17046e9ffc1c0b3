"""`refute image build`: the sandbox image, from a registry or from Debian packages."""

from contextlib import closing
from typing import Final

import click

from refute.errors import RequirementsUnavailable
from refute.places import cache_dir
from refute.sandbox.image_recipe import SUITES
from refute.settings import Settings

LOAD_TIMEOUT_S: Final = 600
"""Loading the layers into a busy engine takes minutes, not the client's default of one."""


@click.group()
def image() -> None:
    """The sandbox image that everything submitted or generated runs in."""


@image.command()
@click.option(
    "--python",
    type=click.Choice(tuple(SUITES)),
    default="3.11",
    show_default=True,
    help="Python version of the image.",
)
def build(python: str) -> int:
    """Build the sandbox image and the critics' image where they are missing; prints the image ID."""
    import docker

    from refute.sandbox.connection import connect
    from refute.sandbox.image import build_image

    connect().close()  # says what to do where no engine answers
    client = docker.from_env(timeout=LOAD_TIMEOUT_S)
    built = build_image(client, python=python, progress=lambda line: click.echo(line, err=True))
    _add_tools(Settings.load(), python, built.id)
    click.echo(built.id)
    return 0


def _add_tools(settings: Settings, python: str, base_id: str) -> None:
    """The image with the critics' tools, so that no ticket waits for it; where they cannot be had, that is said."""
    from refute.critics.tools import tool_requirements
    from refute.sandbox.connection import connect
    from refute.sandbox.derived import derive_image
    from refute.sandbox.requirements_download import WheelSource

    wheelhouse = settings.requirements_wheelhouse
    source = WheelSource(cache=cache_dir() / "wheels", wheelhouse=wheelhouse, python=python)
    try:
        with closing(connect()) as client:
            derive_image(client, tool_requirements(), base_id=base_id, source=source)
    except RequirementsUnavailable as error:
        click.echo(f"tickets do without the critics' tools: {error.message}", err=True)
