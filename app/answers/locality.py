"""Whether a request comes from this very machine."""

from ipaddress import ip_address

from litestar.connection import ASGIConnection

#: A proxy on this machine is on loopback too; whoever it speaks for is not.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


def is_local(connection: ASGIConnection) -> bool:
    """True for a client on loopback that nobody passed on."""
    client = connection.client
    if client is None or any(name in connection.headers for name in _PASSED_ON):
        return False
    try:
        address = ip_address(client.host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
