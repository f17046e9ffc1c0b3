"""A name server for a test's network: `python tests/fakes/far_names.py LISTENS NAME=ADDRESS…`; other names are unknown.

Messages as in RFC 1035, section 4: one question, at most one answer.
"""

import socket
import struct
import sys

PORT = 53
QUESTION_AT = 12
ADDRESS_KIND = 1
ANSWERED, UNKNOWN = 0x8180, 0x8183


def answer(question: bytes, known: dict[str, str]) -> bytes:
    """The answer to a question."""
    labels, at = [], QUESTION_AT
    while question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode("ascii").lower())
        at += 1 + question[at]
    asked = question[QUESTION_AT : at + 5]
    (kind,) = struct.unpack("!H", asked[-4:-2])
    address = known.get(".".join(labels))
    flags = ANSWERED if address else UNKNOWN
    head = struct.pack("!HHHHH", flags, 1, int(bool(address) and kind == ADDRESS_KIND), 0, 0)
    if not address or kind != ADDRESS_KIND:
        return question[:2] + head + asked
    record = struct.pack("!HHHIH", 0xC000 | QUESTION_AT, ADDRESS_KIND, 1, 0, 4) + socket.inet_aton(address)
    return question[:2] + head + asked + record


def main(listens: str, known: dict[str, str]) -> None:
    """Answer until ended."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((listens, PORT))
        print(f"Serving names on {listens}", flush=True)  # noqa: T201  # a program: who started it waits for this
        while True:
            question, asker = server.recvfrom(512)
            server.sendto(answer(question, known), asker)


if __name__ == "__main__":
    main(sys.argv[1], dict(word.split("=") for word in sys.argv[2:]))  # type: ignore[misc]  # NAME=ADDRESS
