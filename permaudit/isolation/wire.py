"""The words between host and warden: small messages of plain data, each with its length, some with open files."""

from __future__ import annotations

import json
import select
import socket
import struct
from time import monotonic
from typing import Any

_LENGTH = struct.Struct("!Q")
_MOST_FILES = 2


def send(wire: socket.socket, message: Any, files: tuple[int, ...] = ()) -> None:
    """Send a message."""
    content = json.dumps(message).encode()
    if files:
        socket.send_fds(wire, [_LENGTH.pack(len(content))], list(files))
    else:
        wire.sendall(_LENGTH.pack(len(content)))
    wire.sendall(content)


def receive(wire: socket.socket) -> tuple[Any, list[int]]:
    """Receive a message and its files; raise `EOFError` where the other side is gone."""
    head, files, _, _ = socket.recv_fds(wire, _LENGTH.size, _MOST_FILES)
    while len(head) < _LENGTH.size:
        head += _some(wire, _LENGTH.size - len(head))
    (length,) = _LENGTH.unpack(head)
    content = bytearray()
    while len(content) < length:
        content += _some(wire, length - len(content))
    return json.loads(content), files


def _some(wire: socket.socket, most: int) -> bytes:
    """Receive what is there; nothing means that the other side is gone."""
    part = wire.recv(min(most, 1 << 16))
    if not part:
        raise EOFError
    return part


def left_until(deadline: float) -> int:
    """Return how many milliseconds are left, for `poll`."""
    return max(0, int(1000 * (deadline - monotonic())) + 1)


def hears(wire: socket.socket, deadline: float) -> bool:
    """Wait until there is something to receive; tell whether that was before the deadline."""
    poll = select.poll()
    poll.register(wire, select.POLLIN)
    return bool(poll.poll(left_until(deadline)))
