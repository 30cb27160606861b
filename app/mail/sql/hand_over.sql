-- All mails of a batch are written, or none; and none once call_until has passed by the database's clock, or one
-- of their accounts was begun anew (testing mode's reset) after the call was.
-- One statement in a transaction of its own: the server commits it without hearing from us again, so a process
-- that freezes cannot commit late. The lock makes a look-up wait for a statement that is under way.
with entered as materialized (
    select pg_advisory_xact_lock_shared(hashtextextended('mailbox ' || cast(:batch_id as uuid), 0)) is not null as yes
),
in_time as materialized (
    select mailbox.takes(cast(:account_id as bigint[]), cast(:begun as timestamptz))
        and clock_timestamp() < cast(:call_until as timestamptz) as yes
    from entered
)
insert into mailbox.mail
    (delivery_id, batch_id, account_id, kind, to_address, sender, subject, text, html, headers, raw)
select mail.delivery_id, cast(:batch_id as uuid), mail.account_id, mail.kind, mail.to_address, mail.sender,
    mail.subject, mail.text, mail.html, cast(mail.headers as jsonb), mail.raw
from unnest(
        cast(:delivery_id as uuid[]), cast(:account_id as bigint[]), cast(:kind as text[]),
        cast(:to_address as text[]), cast(:sender as text[]), cast(:subject as text[]), cast(:text as text[]),
        cast(:html as text[]), cast(:headers as text[]), cast(:raw as bytea[])
    ) as mail (delivery_id, account_id, kind, to_address, sender, subject, text, html, headers, raw),
    in_time
where in_time.yes
