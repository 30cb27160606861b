"""Requests as handlers take them. Litestar's have types of a user, a token and a state; none is used here."""

from typing import Any, TypeAlias

import litestar
from litestar.connection import ASGIConnection

Request: TypeAlias = litestar.Request[Any, Any, Any]
Connection: TypeAlias = ASGIConnection[Any, Any, Any, Any]
