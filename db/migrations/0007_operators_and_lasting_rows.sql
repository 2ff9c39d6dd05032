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
