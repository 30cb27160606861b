-- Removes jobs that were over more than :days days ago; their keys stay, so that none is made twice (E5).
delete from job where id = any (array(
    select id from job
    where finished_at is not null and finished_at < (select godwit_now() - make_interval(days => :days))
    order by finished_at
    limit :most
    for update skip locked))
