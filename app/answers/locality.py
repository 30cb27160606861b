"""Where a request comes from: this very machine, or which network."""

from ipaddress import ip_address, ip_network

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


def network_of(connection: ASGIConnection) -> str:
    """Which network asks, for limits: IPv6 by its /64; behind a proxy of ours what that one saw."""
    peer = connection.client.host if connection.client else ""
    try:
        if ip_address(peer).is_private:
            said = connection.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
            peer = str(ip_address(said)) if said else peer
        found = ip_address(peer)
    except ValueError:
        return peer[:64]
    return str(ip_network(f"{found}/64", strict=False)) if found.version == 6 else str(found)
