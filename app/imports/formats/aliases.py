"""What people call the columns of a list of readers: the guess that a person confirms."""

import re
from collections.abc import Sequence
from typing import Literal, get_args

Field = Literal["email", "name", "first_name", "last_name", "state", "tags", "note", "joined_at"]
FIELDS: tuple[Field, ...] = get_args(Field)

_NAMES: dict[Field, frozenset[str]] = {
    "email": frozenset({
        *("email", "emailaddress", "emailaddresses", "mail", "mailaddress", "address", "subscriberemail"),
        *("useremail", "adresse", "emailadresse", "deineemailadresse", "ihreemailadresse", "adresseemail"),
        *("correo", "correoelectronico"),
    }),
    "name": frozenset({
        *("name", "fullname", "displayname", "subscribername", "nom", "nombre", "nome", "navn", "naam"),
    }),
    "first_name": frozenset({
        *("firstname", "first", "givenname", "fname", "vorname", "prenom", "prénom", "fornavn", "voornaam"),
    }),
    "last_name": frozenset({
        *("lastname", "last", "surname", "familyname", "lname", "nachname", "nomdefamille", "achternaam"),
    }),
    "state": frozenset({
        *("state", "status", "subscribed", "subscriptionstatus", "subscriberstatus", "emailstatus"),
        *("optin", "optedin", "marketingconsent", "acceptsmarketing"),
    }),
    "tags": frozenset({"tags", "tag", "labels", "groups", "segments", "lists"}),
    "note": frozenset({"note", "notes", "comment", "comments"}),
    "joined_at": frozenset({
        *("joined", "joinedat", "createdat", "created", "subscribedat", "subscriptiondate", "signupdate"),
        *("signedupat", "dateadded", "creationdate", "optintime", "joindate"),
    }),
}  # fmt: skip


def column_for(field: Field, headers: Sequence[str]) -> str | None:
    """The column that is likely this field, or None."""
    return next((header for header in headers if _folded(header) in _NAMES[field]), None)


def guessed(headers: Sequence[str]) -> dict[str, str]:
    """Field → column, for every field that a column's name tells."""
    found = {field: column for field in FIELDS if (column := column_for(field, headers))}
    if "first_name" in found and found.get("name") == found["first_name"]:
        del found["name"]
    return dict(found)


def _folded(header: str) -> str:
    return re.sub(r"[\W_]+", "", header.casefold())
