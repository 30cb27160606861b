"""The password of a runtime role outside production, derived from the owner's.

So `migrate`, web and worker agree on it without a file or a setting between them.
"""

import base64
import hmac


def derived_password(secret: str, role: str) -> str:
    """A password for `role` that only those who know the owner's can tell."""
    return base64.urlsafe_b64encode(hmac.digest(secret.encode(), f"role:{role}".encode(), "sha256")).decode()
