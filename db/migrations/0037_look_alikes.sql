-- Charges that look like an earlier one: the same reference of the caller's, consent and total within a time that the
-- merchant record names. Off unless a record names one. The table is new; the column holds merchant for a moment, and
-- whoever reads merchant records waits that long. A node of the version before takes no references and frees none: what
-- it charges is not compared, and what it resolves keeps its references until their time is over.

alter table merchant add column look_alike_seconds integer not null default 0
  check (look_alike_seconds between 0 and 28800);
comment on column merchant.look_alike_seconds is 'For so long a charge with the reference, consent and total of an earlier one is turned down; 0: never.';

-- No references to account and attempt: they would lock a row for every charge.
create table look_alike (
  account_id bigint not null,
  likeness bigint not null,
  acquirer_ref text not null,
  seen_at timestamptz not null,
  over_at timestamptz not null,
  primary key (account_id, likeness)
);
create index look_alike_by_end on look_alike (over_at);
comment on table look_alike is 'References that were charged not long ago, one row for each; gone with what came to nothing or is voided.';
comment on column look_alike.likeness is 'A digest of merchant record, consent, total, currency, kind of reference and reference.';
comment on column look_alike.acquirer_ref is 'Of the attempt that has charged it.';
comment on column look_alike.seen_at is 'By the account''s clock, as is over_at.';

-- As migration 29 told of the other tables with an account.
select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'look_alike',
  'attname', 'account_id', 'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
