-- That a test mail of this version of a draft was asked for.
insert into test_mail (account_id, id, post_id, version, address, variant, sent_by, sent_by_name)
values (:account, :id, :post, :version, :address, :variant, cast(:by as uuid), :by_name)
