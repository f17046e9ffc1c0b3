"""Arguments that are dangerous for whichever command gets them."""

import re

from refute.scan.core import hosts, places
from refute.scan.core.symbols import DERIVED, DOWNLOAD
from refute.scan.shell.state import Call


def is_dangerous_operand(call: Call, argument: str) -> bool:
    """Whether an argument is dangerous for whichever command gets it."""
    if DERIVED in argument or DOWNLOAD in argument:
        return True
    if "://" in argument:
        host = hosts.host_of(argument)
        return host is not None and hosts.reach_of(host) in {hosts.Reach.EXTERNAL, hosts.Reach.METADATA}
    if re.fullmatch(r"-[a-zA-Z]*(?:rf|fr)[a-zA-Z]*|--no-preserve-root", argument):
        return True
    if argument.startswith(("/", "~")):
        target = call.locate(argument)
        return places.is_place("credentials", target.text) or target.text == "/"
    return False
