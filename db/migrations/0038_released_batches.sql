-- A batch that holds what the acquirer has settled in another batch is never accepted, and kept its merchant record from settling
-- for good. An operator releases it now: what is settled there is recorded as that other batch, which this database had
-- forgotten, and the rest settles with the next one.
-- Holds batch while its rows, one for each close of a record, are read twice; charges go on, voids and settlements wait so long.
-- A node of the version before takes a released batch for one that is not accepted yet: it sends nothing of it, and refuses to
-- settle that record (6404). So no batch should be released before every node has been replaced.
alter table batch drop constraint batch_state_check;
alter table batch add constraint batch_state_check
  check (state in ('closing', 'sent', 'accepted', 'rejected', 'unknown', 'released'));

drop index batch_unfinished;
create unique index batch_unfinished on batch (account_id, merchant_number) where state not in ('accepted', 'released');

alter table batch add column learned_from bigint references batch;
comment on column batch.learned_from is 'The batch whose release recorded this one, which the acquirer had accepted and we did not know; null: closed here.';

create table batch_release (
  batch_id bigint primary key references batch,
  decided_by text not null,
  reason text not null check (reason <> ''),
  settled_count integer not null,
  given_back_count integer not null,
  released_at timestamptz not null
);
comment on table batch_release is 'Who has released a batch, why, and what became of it. Written once.';
comment on column batch_release.settled_count is 'Transactions that the acquirer had settled in other batches, of the whole merchant record.';
comment on column batch_release.given_back_count is 'Transactions of the batch that wait for the next one.';
create trigger batch_release_is_immutable before update or delete or truncate on batch_release
  for each statement execute function refuse_change();
