"""A certificate for this machine that nobody vouches for, made on the spot by the openssl program."""

import shutil
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

from app.base.errors import Unavailable


@dataclass(frozen=True)
class SelfMade:
    """A key and its certificate, in PEM."""

    certificate: Path
    key: Path

    def for_server(self) -> ssl.SSLContext:
        """What a server shows."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def for_client(self) -> ssl.SSLContext:
        """What a client needs that is to trust it, and nothing else."""
        return ssl.create_default_context(cafile=str(self.certificate))


def self_made(folder: Path, *, name: str = "localhost", days: int = 2) -> SelfMade:
    """Make one for `name` (and 127.0.0.1 when that is localhost) in `folder`.

    Raises Unavailable without the openssl program.
    """
    program = shutil.which("openssl")
    if program is None:
        raise Unavailable("TLS needs a certificate, which the openssl program makes; it is not installed.")
    made = SelfMade(folder / "certificate.pem", folder / "key.pem")
    names = f"DNS:{name}" + (",IP:127.0.0.1" if name == "localhost" else "")
    command = [
        *(program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", str(days)),
        *("-subj", f"/CN={name}", "-addext", f"subjectAltName={names}"),
        *("-keyout", str(made.key), "-out", str(made.certificate)),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return made
