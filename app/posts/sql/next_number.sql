-- The account's next release number; its row stays locked until the commit, so none is skipped or given twice.
insert into release_counter as counter (account_id, newest)
values (:account, 1)
on conflict (account_id) do update set newest = counter.newest + 1
returning newest
