"""Accounts: the tenant, its creators and team, and who may enter.

Owns: accounts, creators, memberships, sign-in codes, sessions, API keys, kept answers of
the API, and the guards that stand before the studio, the API and the sites.

Words: an *account* is one publication; a *creator* signs in and belongs to accounts by a
*membership* with a role (owner, editor, writer). A *desk* is a creator at work in one of
their accounts. A *caller* is a program with an API key. A *visit* is anybody on a site.

Promises
1. A code is six digits, works once, for ten minutes and five tries, then is dead; a new one
   does not lift the address's day limit.
2. Asking for a code and trying one answer alike, in body, status and time, whether or not
   anybody signs in with the address.
3. Codes, session tokens and API keys are stored as keyed hashes only.
4. A session is made at sign-in, with a token of our making, and by POST only; a token that a
   browser brings along is never taken over.
5. An account that a creator does not belong to is not there (404), like one that never was.
6. A publication keeps an owner, also when two take each other away at one instant.
7. An invitation lets in only who signs in with the address it was mailed to, once, within its days.
8. One Idempotency-Key, one answer, for 24 hours; a crash in between blocks it a minute at most.

Tables: account, creator, membership, invitation, creator_code, creator_session, api_key, idempotency.
Jobs: prune_answers, prune_invitations. Codes and invitations are messages (messages).
"""

from app.accounts.api_keys import create_api_key
from app.accounts.code_words import digits_of, why_wrong
from app.accounts.coming_back import safe_next
from app.accounts.first_run import first_run_token
from app.accounts.guards import keep_visit
from app.accounts.jobs import PruneAnswers, PruneInvitations
from app.accounts.queries import Account, account_named, account_of, list_accounts
from app.accounts.rights import Act, acts_of, refusal
from app.accounts.sessions import session_cookie, start_session
from app.accounts.sign_in import issue_code
from app.accounts.sign_up import create_account
from app.accounts.visitors import ApiCaller, Desk, Operator, SiteVisit

__all__ = [
    "Account",
    "Act",
    "ApiCaller",
    "Desk",
    "Operator",
    "PruneAnswers",
    "PruneInvitations",
    "SiteVisit",
    "account_named",
    "account_of",
    "acts_of",
    "create_account",
    "create_api_key",
    "digits_of",
    "first_run_token",
    "issue_code",
    "keep_visit",
    "list_accounts",
    "refusal",
    "safe_next",
    "session_cookie",
    "start_session",
    "why_wrong",
]
