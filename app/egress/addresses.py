"""Which addresses are the public internet: a table, and nothing of it depends on where we run.

`ipaddress` alone calls multicast, NAT64, site-local and others global, and not the same ones in every version
of Python; so the table decides, and `is_global` is the second net.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: What never is somebody's public server (IANA's special-purpose registries, and what clouds use inside).
NOT_PUBLIC: dict[str, str] = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a carrier (and 100.100.100.200, metadata)",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "a cloud's own services",
    "169.254.0.0/16": "link-local (and 169.254.169.254, metadata)",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "AMT",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarks",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved, and broadcast",
    "::/96": "unspecified, loopback, IPv4-compatible",
    "::ffff:0:0/96": "IPv4-mapped",
    "64:ff9b::/96": "NAT64",
    "64:ff9b:1::/48": "NAT64, local",
    "100::/64": "discard only",
    "100:0:0:1::/64": "dummy",
    "2001::/23": "protocol assignments: Teredo, benchmarks, ORCHID",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "3fff::/20": "documentation",
    "5f00::/16": "SRv6",
    "fc00::/7": "unique local (and fd00:ec2::254, metadata)",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_NOT_PUBLIC = tuple(ip_network(one) for one in NOT_PUBLIC)
#: All that is handed out as global unicast (RFC 4291 2.4, IANA's registry).
_UNICAST = IPv6Network("2000::/3")


def is_public(address: Address) -> bool:
    """Whether it may belong to anybody's server on the public internet."""
    if isinstance(address, IPv6Address) and (address.scope_id or address not in _UNICAST):
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC)
