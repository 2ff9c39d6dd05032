-- What an operator needs, and rows that are never changed: postings and the history of attempts were immutable by
-- convention only. Locks attempt, unresolved_attempt, attempt_event and posting for moments, attempt for as long as its
-- index is built.

-- One trigger for each statement, so that inserts pay nothing.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is written once and never changed: write another row', tg_table_name
    using errcode = 'restrict_violation';
end
$$;

create trigger posting_is_immutable before update or delete or truncate on posting
  for each statement execute function refuse_change();
create trigger attempt_event_is_immutable before update or delete or truncate on attempt_event
  for each statement execute function refuse_change();

-- The newest attempts of one account, whatever the others do: without it a small account's look-up reads everybody's.
-- Neither column ever moves, so a move of an attempt still stays on its page.
create index attempt_of_account on attempt (account_id, attempt_id);

-- How long a bank is given to answer or to confirm counts from here, not from the creation of the attempt.
alter table unresolved_attempt add column since timestamptz;
update unresolved_attempt u set since = coalesce(a.answered_at, a.created_at)
from attempt a where a.attempt_id = u.attempt_id;
alter table unresolved_attempt alter column since set not null;
comment on column unresolved_attempt.since is 'When it became unknown, due for reversal, or was approved too late.';

-- Attempts that nothing but an operator can end. A list of its own, because no index of attempt may hold its state.
create table manual_attempt (
  attempt_id bigint primary key references attempt,
  since timestamptz not null,
  is_late boolean not null default false
);
comment on column manual_attempt.is_late is 'Closed with us, but the bank has not confirmed the reversal of a late approval.';
insert into manual_attempt (attempt_id, since)
select attempt_id, coalesce(answered_at, created_at) from attempt where state = 'manual';

-- Who has decided what a machine could not, and why. A default that needs no rewrite.
alter table attempt_event add column reason text not null default '', add column decided_by text not null default '';
