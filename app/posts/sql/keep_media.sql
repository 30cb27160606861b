-- A picture of the account; one that it has already stays as it is.
insert into media (account_id, hash, kind, name, width, height, size, created_by)
values (:account, :hash, :kind, :name, :width, :height, :size, cast(:by as uuid))
on conflict (account_id, hash) do nothing
