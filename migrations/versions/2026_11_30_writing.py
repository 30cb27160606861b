"""What a post has besides its text: pages, cover, search words, images, test mails; old addresses that lead on."""

from migrations.policies import run, secure

revision = "2026_11_30_writing"
down_revision = "2026_11_30_segments"


def upgrade() -> None:
    run("""
alter table draft
    add column kind text collate "C" not null default 'post' check (kind in ('post', 'page')),
    add column cover text collate "C" not null default '' check (length(cover) <= 2000),
    add column cover_alt text not null default '' check (length(cover_alt) <= 500),
    add column seo_title text not null default '' check (length(seo_title) <= 255),
    add column seo_description text not null default '' check (length(seo_description) <= 500)
;;
alter table revision
    add column kind text collate "C" not null default 'post' check (kind in ('post', 'page')),
    add column cover text collate "C" not null default '' check (length(cover) <= 2000),
    add column cover_alt text not null default '' check (length(cover_alt) <= 500),
    add column seo_title text not null default '' check (length(seo_title) <= 255),
    add column seo_description text not null default '' check (length(seo_description) <= 500),
    add column preview_html text not null default '',
    add column kept_for text collate "C" not null default 'publish'
        check (kept_for in ('publish', 'by_hand', 'by_itself', 'before_restore', 'import'))
;;
comment on column revision.preview_html is 'What a reader without access sees: up to the paywall marker. Empty: everything, or nothing, by access.'
;;
comment on column revision.kept_for is 'Why it was frozen: to be published, by hand, by itself while writing, before another was restored, by an import.'
;;
create table test_mail (
    account_id bigint not null,
    id uuid not null,
    post_id uuid not null,
    version integer not null check (version > 0),
    address text not null check (length(address) <= 320),
    variant text collate "C" not null check (variant in ('full', 'preview', 'nameless')),
    sent_at timestamptz not null default godwit_now(),
    sent_by uuid,
    sent_by_name text not null default '' check (length(sent_by_name) <= 255),
    primary key (account_id, id),
    foreign key (account_id, post_id) references post (account_id, id) on delete cascade
)
;;
comment on table test_mail is 'Test mails that were asked for: of which version of the draft, to whom. The mail itself is a message.'
;;
create index test_mail_of_post on test_mail (account_id, post_id, sent_at desc)
;;
create table media (
    account_id bigint not null references account,
    hash text collate "C" not null check (hash ~ '^[0-9a-f]{64}$'),
    kind text collate "C" not null check (kind in ('image/jpeg', 'image/png', 'image/gif', 'image/webp')),
    name text not null default '' check (length(name) <= 255),
    width integer not null check (width > 0),
    height integer not null check (height > 0),
    size bigint not null check (size > 0),
    created_by uuid,
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, hash)
)
;;
create index media_newest on media (account_id, created_at desc, hash)
;;
create table redirect (
    account_id bigint not null,
    path text collate "C" not null check (path ~ '^/' and length(path) <= 500),
    post_id uuid,
    target text,
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, path),
    foreign key (account_id, post_id) references post (account_id, id) on delete cascade,
    constraint leads_somewhere check ((post_id is null) <> (target is null))
)
;;
create index redirect_to_post on redirect (account_id, post_id)
""")
    secure("media", web="select, insert, delete", worker="select, insert")
    secure("test_mail", web="select, insert, delete")
    secure("redirect", web="select, insert, update, delete", worker="select, insert")
