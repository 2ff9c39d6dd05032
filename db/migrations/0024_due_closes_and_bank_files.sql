-- Two reads that grew with the installation. What closes by itself was found by going through all merchant records; now every
-- domestic record has its plan from the beginning, so that the index of what is due finds them all. And files for the bank are told
-- apart by day, minute and mark, which the minute of each makes possible.
-- Locks merchant and bank_file for a moment, and reads each of them once.

create function plan_settlement_of_record() returns trigger language plpgsql as $$
begin
  insert into settlement_plan (account_id, merchant_number) values (new.account_id, new.merchant_number) on conflict do nothing;
  return null;
end
$$;
create trigger merchant_has_settlement_plan after insert or update of is_international on merchant
  for each row when (not new.is_international) execute function plan_settlement_of_record();
insert into settlement_plan (account_id, merchant_number)
  select account_id, merchant_number from merchant where not is_international on conflict do nothing;
comment on column settlement_plan.next_close_at is 'null: nobody has looked at it yet, so it is due.';

alter table bank_file add column made_minute integer not null default 0 check (made_minute between 0 and 1439);
update bank_file set made_minute = substr(text, 30, 2)::integer * 60 + substr(text, 32, 2)::integer;
comment on column bank_file.made_minute is 'Of the day in made_on, as its header says: may be some minutes off, so that no two files of a minute share a mark.';
