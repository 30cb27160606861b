"""Posts: what is written (drafts, revisions) and what is published (numbered releases)."""

from migrations.policies import run, secure

revision = "2026_11_30_posts"
down_revision = "2026_11_30_readers"


def upgrade() -> None:
    run("""
create table post (
    account_id bigint not null references account,
    id uuid not null,
    slug text collate "C",
    live_revision_id uuid,
    published_at timestamptz,
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    unique (account_id, slug),
    constraint live_has_slug check ((live_revision_id is null) = (slug is null)),
    constraint live_was_published check (live_revision_id is null or published_at is not null)
)
;;
create index post_newest on post (account_id, created_at desc, id desc)
;;
create index post_published on post (account_id, published_at desc, id desc) where live_revision_id is not null
;;
create table draft (
    account_id bigint not null,
    post_id uuid not null,
    title text not null default '' check (length(title) <= 255),
    slug text collate "C" not null default '' check (length(slug) <= 191),
    markdown text not null default '',
    excerpt text not null default '' check (length(excerpt) <= 500),
    tags text[] not null default '{}',
    access text not null default 'everyone' check (access in ('everyone', 'subscribers', 'paid')),
    version integer not null default 1 check (version > 0),
    updated_at timestamptz not null default godwit_now(),
    updated_by uuid,
    primary key (account_id, post_id),
    foreign key (account_id, post_id) references post (account_id, id) on delete cascade
)
;;
create table revision (
    account_id bigint not null,
    id uuid not null,
    post_id uuid not null,
    number integer not null check (number > 0),
    title text not null check (length(title) between 1 and 255),
    slug text collate "C" not null check (length(slug) between 1 and 191),
    markdown text not null,
    html text not null,
    excerpt text not null,
    tags text[] not null default '{}',
    access text not null check (access in ('everyone', 'subscribers', 'paid')),
    minutes integer not null check (minutes > 0),
    created_at timestamptz not null default godwit_now(),
    created_by uuid,
    primary key (account_id, id),
    unique (account_id, post_id, number),
    foreign key (account_id, post_id) references post (account_id, id)
)
;;
alter table post add foreign key (account_id, live_revision_id) references revision (account_id, id)
;;
create table release (
    account_id bigint not null references account,
    number integer not null check (number > 0),
    published_at timestamptz not null default godwit_now(),
    published_by uuid,
    primary key (account_id, number)
)
;;
create table release_counter (
    account_id bigint primary key references account,
    newest integer not null check (newest > 0)
)
;;
create table release_change (
    account_id bigint not null,
    number integer not null,
    post_id uuid not null,
    action text not null check (action in ('published', 'updated', 'unpublished')),
    revision_id uuid not null,
    slug text collate "C" not null,
    primary key (account_id, number, post_id),
    foreign key (account_id, number) references release (account_id, number),
    foreign key (account_id, post_id) references post (account_id, id),
    foreign key (account_id, revision_id) references revision (account_id, id)
)
;;
create index release_change_of_post on release_change (account_id, post_id, number)
""")
    secure("post", web="select, insert, update, delete")
    secure("draft", web="select, insert, update, delete")
    secure("revision", web="select, insert")
    secure("release", web="select, insert")
    secure("release_counter", web="select, insert, update")
    secure("release_change", web="select, insert")
