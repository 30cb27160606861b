-- That a test mail of this version of a draft was asked for; no row when the post is deleted in this moment.
insert into test_mail (account_id, id, post_id, version, address, variant, sent_by, sent_by_name)
select account_id, :id, id, :version, :address, :variant, cast(:by as uuid), :by_name
from post where account_id = :account and id = :post
for key share
