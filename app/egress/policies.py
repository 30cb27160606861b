"""What may be called: the public internet over https, and what somebody allowed beside it, one by one."""

from dataclasses import dataclass, field

from app.base.settings import settings
from app.egress.addresses import Address, Network, is_public
from app.egress.refusals import NotAllowed
from app.egress.resolving import Resolver
from app.egress.targets import NOT_PUBLIC, Target

#: Where other things than web servers listen: mail, terminals, databases, what runs containers. A request
#: sent there can be read as commands (the list of the Fetch standard's bad ports, and databases).
CLOSED_PORTS = frozenset(
    {
        *(1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95),
        *(101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 179),
        *(389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601),
        *(636, 873, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306),
        *(3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668),
        *(6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 27017),
    }
)

_HTTPS = "The address must begin with https://, so that nobody reads along."


@dataclass(frozen=True)
class Policy:
    """What may be called although it is not public: `allow` by network, `allow_hosts` by exactly a host and a
    port; over http too. Everything else is https to public addresses, or nothing when not `public`; but never
    `own`: hosts (one that begins with a dot: all below it) and their port. `resolver`: where names lead."""

    allow: tuple[Network, ...] = ()
    allow_hosts: frozenset[tuple[str, int]] = frozenset()
    resolver: Resolver = field(default_factory=Resolver, compare=False)
    public: bool = True
    own: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def of_settings(cls) -> "Policy":
        """What GODWIT_EGRESS_ALLOW allows, and names as this machine finds them."""
        return cls(allow=settings().egress_allow)

    @classmethod
    def of_looks(cls) -> "Policy":
        """For what is looked at without anybody's asking: in testing mode nothing but what was allowed."""
        return cls(allow=settings().egress_allow, public=settings().mode != "testing")

    def beside(self, other: "Policy | None") -> "Policy":
        """What either allows; names as `other` finds them."""
        if other is None:
            return self
        return Policy(
            self.allow + other.allow,
            self.allow_hosts | other.allow_hosts,
            other.resolver,
            self.public or other.public,
            self.own | other.own,
        )

    def check(self, target: Target) -> None:
        """Raises NotAllowed when no address at all makes it right."""
        if (target.host, target.port) in self.allow_hosts:
            return
        if self._is_own(target):
            raise NotAllowed("This is an address of Godwit's own. Give that of the other program.")
        if target.port in CLOSED_PORTS:
            raise NotAllowed("The address has a port on which no web server listens. Use 443, or another.")
        if not target.secure and not self.allow:
            raise NotAllowed(_HTTPS)
        if not self.public and not self.allow:
            raise NotAllowed("In testing mode Godwit calls nothing but what was allowed.")

    def _is_own(self, target: Target) -> bool:
        host = target.host.removesuffix(".")
        return any(
            target.port == port and (host == name or (name.startswith(".") and host.endswith(name)))
            for name, port in self.own
        )

    def permits(self, target: Target, address: Address) -> bool:
        """Whether a connection for `target` may go to `address`."""
        if (target.host, target.port) in self.allow_hosts:
            return True
        if any(address in network for network in self.allow):
            return True
        return self.public and target.secure and is_public(address)

    def check_addresses(self, target: Target, addresses: "list[Address]") -> None:
        """Raises NotAllowed when any of them is not permitted: a name with one bad address is a bad name."""
        for address in addresses:
            if not self.permits(target, address):
                raise NotAllowed(NOT_PUBLIC if target.secure else _HTTPS)
