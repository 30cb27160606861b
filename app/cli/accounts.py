"""`godwit account …`: the first creator, codes without mail, API keys."""

from pathlib import Path

import click

from app import accounts as door
from app.base.errors import NotFound
from app.cli.asking import ask, json_option, print_json
from app.cli.environment import data_option


@click.group()
def account() -> None:
    """Create and list accounts, print sign-in codes, make API keys."""


@account.command()
@click.option("--email", required=True, help="The creator's address; they sign in with it.")
@click.option("--name", required=True, help="The publication's name.")
@click.option("--slug", required=True, help="Its short name: the first part of the site's address.")
@click.option("--address", default="", help="The postal address that stands below every mail.")
@click.option("--operator", is_flag=True, help="This creator also runs the installation.")
@data_option
def create(email: str, name: str, slug: str, address: str, operator: bool, data: Path | None) -> None:
    """Create an account and its first creator."""
    ask(
        data,
        "web",
        lambda tx: door.create_account(
            tx, email=email, name=name, slug=slug, postal_address=address, operator=operator
        ),
        new=True,
    )
    click.echo(
        f"Created {slug}. {email} signs in with a code by mail, or with: godwit account code --email {email}"
    )


@account.command("list")
@json_option
@data_option
def list_(as_json: bool, data: Path | None) -> None:
    """List the accounts of this installation."""
    found = ask(data, "web", door.list_accounts)
    rows = [{"slug": one.slug, "name": one.name, "created_at": one.created_at} for one in found]
    if as_json:
        print_json({"items": rows})
        return
    if not rows:
        click.echo("No account yet. Make one: godwit account create --email E --name N --slug S")
    for row in rows:
        click.echo(f"{row['slug']}\t{row['name']}\t{row['created_at']:%Y-%m-%d}")


@account.command()
@click.option("--email", required=True)
@json_option
@data_option
def code(email: str, as_json: bool, data: Path | None) -> None:
    """Print a sign-in code, without mailing it."""
    issued = ask(data, "web", lambda tx: door.issue_code(tx, email))
    if issued is None:
        raise NotFound(
            f"Nobody signs in with {email}. Make an account: godwit account create --email {email} …"
        )
    if as_json:
        print_json({"code": issued.code, "expires_at": issued.expires_at})
    else:
        click.echo(f"{issued.code}  (until {issued.expires_at:%H:%M} UTC)")


@account.command()
@click.option("--slug", required=True, help="The account.")
@click.option("--name", required=True, help="What the key is for.")
@json_option
@data_option
def token(slug: str, name: str, as_json: bool, data: Path | None) -> None:
    """Make an API key. It is printed once and cannot be shown again."""
    key = ask(data, "web", lambda tx: door.create_api_key(tx, slug=slug, name=name))
    if as_json:
        print_json({"account": slug, "name": name, "token": key})
    else:
        click.echo(key)
