"""Each automatic mail that there is: what it needs, and its folder in templates/email/.

| mail         | when                            | to whom              | queue          |
|--------------|---------------------------------|----------------------|----------------|
| sign_in_code | somebody asks for a code        | a creator            | codes_creators |
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True)
class SignInCode:
    """A six-digit code for a creator; `link` opens the page with the code filled in, and a button."""

    template: ClassVar[str] = "sign_in_code"

    to: str
    code: str
    minutes: int
    link: str
    expires_at: datetime


Message = SignInCode
