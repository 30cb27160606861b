"""An endpoint that switched itself off is switched on again by a person, and becomes nothing else."""

from migrations.policies import run

revision = "2026_11_30_endpoint_moves"
down_revision = "2026_11_30_turns"


def upgrade() -> None:
    run("""
create function endpoint_moves() returns trigger
language plpgsql set search_path = pg_catalog, public as $$
begin
    if (old.state, new.state) not in (
        ('active', 'paused'), ('active', 'disabled'), ('paused', 'active'), ('paused', 'disabled'),
        ('disabled', 'active')
    ) then
        raise exception 'an endpoint cannot go from % to %', old.state, new.state
            using errcode = 'check_violation';
    end if;
    return new;
end
$$
;;
create trigger endpoint_moves before update of state on endpoint
    for each row when (old.state is distinct from new.state) execute function endpoint_moves()
""")
