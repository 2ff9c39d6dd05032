-- Tries of an instalment are those that reached the bank, or may have; the number that names the next reference counts every
-- attempt, those included that were refused or could not be sent.
-- Locks instalment for a moment for the columns, and writes the rows that have been tried once.

alter table instalment rename column tries to attempts;
alter table instalment rename constraint instalment_tries_check to instalment_attempts_check;
comment on column instalment.attempts is 'Attempts recorded for it; each has a reference of its own that follows from this number.';

alter table instalment add column tries integer not null default 0;
comment on column instalment.tries is 'Attempts that reached the bank or may have, the one that is under way included.';
update instalment set tries = attempts where attempts > 0;
alter table instalment add constraint instalment_tries_check check (tries between 0 and attempts);
