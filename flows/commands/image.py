"""`refute image build`: the sandbox image, from a registry or from Debian packages."""

from typing import Final

import click

from refute.sandbox.image_recipe import SUITES

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
    """Build the image, or say that it is there already. Prints the image ID."""
    import docker

    from refute.sandbox.connection import connect
    from refute.sandbox.image import build_image

    connect().close()  # says what to do where no engine answers
    client = docker.from_env(timeout=LOAD_TIMEOUT_S)
    built = build_image(client, python=python, progress=lambda line: click.echo(line, err=True))
    click.echo(built.id)
    return 0
