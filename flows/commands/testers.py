"""The option that says who writes attacks."""


def testers(named: str | None, *, replay: bool) -> str | None:
    """The setting `tester` from `--tester` and `--replay`: recorded answers stand in for the model.

    Args:
        named: as given, `gemini,property` for instance.
        replay: whether recorded answers are to be used.
    """
    if not replay:
        return named
    names = [name.strip() for name in named.split(",")] if named else ["replay"]
    return ",".join("replay" if name == "gemini" else name for name in names)
