"""What stands in each file of lines: the statement that reads it and the one that writes it back.

Each reads one jsonb a row, in an order that ids have no part in. `restore` takes those rows as `:rows`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Lines:
    """A file of lines, and its two statements."""

    name: str
    read: str
    restore: str


NEWSLETTERS = Lines(
    "newsletters",
    """
select jsonb_build_object('slug', slug, 'name', name, 'sender_name', sender_name,
    'from_address', from_address, 'reply_to', reply_to, 'default', is_default, 'description', description,
    'welcome', welcome, 'welcome_subject', welcome_subject, 'welcome_markdown', welcome_markdown,
    'created_at', created_at, 'archived_at', archived_at)
from newsletter order by is_default desc, slug
""",
    """
with given as (
    select * from jsonb_to_recordset(cast(:rows as jsonb)) as g(slug text, name text, sender_name text,
        from_address text, reply_to text, "default" boolean, description text, welcome boolean,
        welcome_subject text, welcome_markdown text, created_at timestamptz, archived_at timestamptz)
), main as (
    -- An account is born with a newsletter: it becomes the one that was the main one.
    update newsletter n set slug = g.slug, name = g.name, sender_name = g.sender_name,
        from_address = g.from_address, reply_to = g.reply_to, description = g.description,
        welcome = g.welcome, welcome_subject = g.welcome_subject, welcome_markdown = g.welcome_markdown,
        created_at = g.created_at, archived_at = g.archived_at
    from given g where n.is_default and g."default"
)
insert into newsletter (account_id, id, slug, name, sender_name, from_address, reply_to, description, welcome,
    welcome_subject, welcome_markdown, created_at, archived_at)
select cast(:account as bigint), gen_random_uuid(), slug, name, sender_name, from_address, reply_to,
    description, welcome, welcome_subject, welcome_markdown, created_at, archived_at
from given where not "default"
""",
)
PLANS = Lines(
    "plans",
    """
select jsonb_build_object('slug', slug, 'name', name, 'description', description, 'monthly', monthly,
    'yearly', yearly, 'currency', currency, 'position', position, 'created_at', created_at,
    'archived_at', archived_at)
from plan order by position, slug
""",
    """
insert into plan (account_id, id, slug, name, description, monthly, yearly, currency, position, created_at,
    archived_at)
select cast(:account as bigint), gen_random_uuid(), g.*
from jsonb_to_recordset(cast(:rows as jsonb)) as g(slug text, name text, description text, monthly integer,
    yearly integer, currency text, position integer, created_at timestamptz, archived_at timestamptz)
""",
)
SUPPRESSIONS = Lines(
    "suppressions",
    """
select jsonb_build_object('address', address, 'reason', reason, 'detail', detail, 'created_at', created_at)
from suppression order by address
""",
    """
insert into suppression (account_id, address, reason, detail, created_at)
select cast(:account as bigint), g.*
from jsonb_to_recordset(cast(:rows as jsonb)) as g(address text, reason text, detail text,
    created_at timestamptz)
""",
)
SUPPRESSION_CHANGES = Lines(
    "suppression_changes",
    """
select jsonb_build_object('address', address, 'act', act, 'reason', reason, 'by_kind', by_kind,
    'detail', detail, 'by_name', by_name, 'at', at)
from suppression_change order by id
""",
    """
insert into suppression_change (account_id, address, act, reason, by_kind, detail, by_name, at)
select cast(:account as bigint), g.address, g.act, g.reason, g.by_kind, g.detail, g.by_name, g.at
from rows from (jsonb_to_recordset(cast(:rows as jsonb)) as (address text, act text, reason text,
    by_kind text, detail text, by_name text, at timestamptz)) with ordinality as g order by g.ordinality
""",
)
ERASED = Lines(
    "erased",
    """
select jsonb_build_object('address_hash', encode(address_hash, 'hex'), 'erased_at', erased_at)
from erased_reader order by erased_at, address_hash
""",
    """
insert into erased_reader (account_id, reader_id, address_hash, erased_at)
select cast(:account as bigint), gen_random_uuid(), decode(g.address_hash, 'hex'), g.erased_at
from jsonb_to_recordset(cast(:rows as jsonb)) as g(address_hash text, erased_at timestamptz)
""",
)
REDIRECTS = Lines(
    "redirects",
    """
select jsonb_build_object('path', d.path, 'post', n.number, 'target', d.target, 'created_at', d.created_at)
from redirect d
left join (select id, row_number() over (order by created_at, id) as number from post) n on n.id = d.post_id
order by d.path
""",
    """
insert into redirect (account_id, path, post_id, target, created_at)
select cast(:account as bigint), g.path, n.id, g.target, g.created_at
from jsonb_to_recordset(cast(:rows as jsonb)) as g(path text, post bigint, target text,
    created_at timestamptz)
left join (select id, row_number() over (order by created_at, id) as number from post) n on n.number = g.post
""",
)
RELEASES = Lines(
    "releases",
    """
select jsonb_build_object('number', r.number, 'published_at', r.published_at,
    'published_by', coalesce(nullif(r.published_by_name, ''), c.name, ''), 'restored_from', r.restored_from,
    'changes', (select coalesce(jsonb_agg(jsonb_build_object('post', n.number, 'revision', v.number,
            'action', x.action, 'slug', x.slug) order by n.number), '[]')
        from release_change x
        join revision v on v.account_id = x.account_id and v.id = x.revision_id
        join (select id, row_number() over (order by created_at, id) as number from post) n
            on n.id = x.post_id
        where x.account_id = r.account_id and x.number = r.number))
from release r left join creator c on c.id = r.published_by order by r.number
""",
    """
with given as (
    select * from jsonb_to_recordset(cast(:rows as jsonb)) as g(number integer, published_at timestamptz,
        published_by text, restored_from integer, changes jsonb)
), made as (
    insert into release (account_id, number, published_at, published_by_name, restored_from)
    select cast(:account as bigint), number, published_at, published_by, restored_from from given
), counter as (
    insert into release_counter (account_id, newest)
    select cast(:account as bigint), max(number) from given having max(number) is not null
    on conflict (account_id) do update set newest = greatest(release_counter.newest, excluded.newest)
)
insert into release_change (account_id, number, post_id, action, revision_id, slug)
select cast(:account as bigint), g.number, n.id, x.action, v.id, x.slug
from given g
cross join lateral jsonb_to_recordset(g.changes) as x(post bigint, revision integer, action text, slug text)
join (select id, row_number() over (order by created_at, id) as number from post) n on n.number = x.post
join revision v on v.post_id = n.id and v.number = x.revision
""",
)
MEDIA = Lines(
    "media",
    """
select jsonb_build_object('hash', hash, 'kind', kind, 'name', name, 'width', width, 'height', height,
    'size', size, 'created_at', created_at)
from media order by hash
""",
    """
insert into media (account_id, hash, kind, name, width, height, size, created_at)
select cast(:account as bigint), g.*
from jsonb_to_recordset(cast(:rows as jsonb)) as g(hash text, kind text, name text, width integer,
    height integer, size bigint, created_at timestamptz)
""",
)
SEGMENTS = Lines(
    "segments",
    """
select jsonb_build_object('name', name, 'filter', filter, 'created_by_name', created_by_name,
    'created_at', created_at, 'changed_at', changed_at)
from segment order by name
""",
    """
insert into segment (account_id, id, name, filter, created_by_name, created_at, changed_at)
select cast(:account as bigint), gen_random_uuid(), g.*
from jsonb_to_recordset(cast(:rows as jsonb)) as g(name text, filter jsonb, created_by_name text,
    created_at timestamptz, changed_at timestamptz)
""",
)
WEBHOOKS = """
select jsonb_build_object('url', url, 'description', description, 'events', to_jsonb(events), 'state', state,
    'created_at', created_at)
from endpoint where deleted_at is null order by created_at, url, description
"""
# It arrives as it is added, and is called when somebody who has put its new secret in place resumes it.
RESTORE_WEBHOOK = """
update endpoint set state = 'paused', created_at = cast(cast(:created_at as text) as timestamptz)
where id = :id
"""
PUBLICATION = """
select jsonb_build_object('name', name, 'description', description, 'postal_address', postal_address,
    'sender_name', sender_name, 'reply_to', reply_to, 'locale', locale, 'zone', zone,
    'undo_seconds', undo_seconds)
from account where id = :account
"""
RESTORE_PUBLICATION = """
update account set name = :name, description = :description, postal_address = :postal_address,
    sender_name = :sender_name, reply_to = :reply_to, locale = :locale, zone = :zone,
    undo_seconds = :undo_seconds
where id = :account
"""
