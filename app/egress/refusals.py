"""Why nothing came back. Each `reason` is a sentence for people and tells nothing of what is inside: no
address that a name leads to, and none of our own."""


class _Told(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotAllowed(_Told):
    """The address must not be called, today or later, as long as it is what it is."""


class NotReached(_Told):
    """Not one byte of the request was written: no name, no connection, no TLS, no time left."""


class NoSuchName(NotReached):
    """The name servers know the name not to exist."""


class Lost(_Told):
    """Bytes of the request may have left, and no head of an answer came: nobody can know what was done."""
