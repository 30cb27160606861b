-- Whether the provider is down for everybody: then its record cannot be read either. Counts nothing.
select exists (
    select from mailbox.fault
    where target = 'provider' and kind = 'down' and match_to is null
        and seen >= after and (times is null or fired < times)
)
