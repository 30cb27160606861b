"""Free ports. Ours lie below the kernel's ephemeral range, whose ports any client may take at any moment."""

import errno
import random
import socket
from pathlib import Path

from app.base.errors import Conflict, Invalid

LOWEST, HIGHEST = 20000, 29999
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a server could listen there now. Raises OSError when `host` is no address of this machine."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def choose(preferred: int | None = None) -> int:
    """`preferred` when it is free, else some free port of ours."""
    if preferred and is_free(preferred):
        return preferred
    low, high = _range()
    for port in random.sample(range(low, high + 1), min(200, high - low + 1)):
        if is_free(port):
            return port
    raise RuntimeError(f"no free port between {low} and {high}")


def wanted(host: str, port: int) -> int:
    """The port asked for, or a free one for 0. Raises Invalid or Conflict when nobody can listen there."""
    if port == 0:
        return choose()
    try:
        free = is_free(port, host)
    except OSError as error:
        raise Invalid(
            f"Godwit cannot listen on {host} ({error.strerror}); choose another with --host."
        ) from error
    if not free:
        raise Conflict(f"Port {port} is in use; stop what uses it, or choose another with --port.")
    return port


def _range() -> tuple[int, int]:
    try:
        first_ephemeral = int(_EPHEMERAL.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return LOWEST, HIGHEST
    if first_ephemeral > HIGHEST:
        return LOWEST, HIGHEST
    return (
        (LOWEST, first_ephemeral - 1)
        if first_ephemeral > LOWEST + 100
        else (2000, max(2100, first_ephemeral - 1))
    )
