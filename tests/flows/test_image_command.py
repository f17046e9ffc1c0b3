"""`refute image build`."""

import click

from flows.commands.image import build
from refute.sandbox.image_recipe import SUITES


def test_the_versions_offered_are_those_that_an_image_can_be_made_for() -> None:
    (option,) = (parameter for parameter in build.params if parameter.name == "python")
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) == set(SUITES)
