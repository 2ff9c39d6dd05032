-- Runs of scheduled payments that were asked for under an idempotency key, so that a repeated call can be told what the
-- first one charged. The tables are new; for the reference to account it waits for whoever is changing an account or adding
-- a merchant record, and they for it, a moment. Charges go on.

create table keyed_run (
  run_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  -- Null where its payments are of several merchant records.
  merchant_number integer,
  state text not null default 'running' check (state in ('running', 'finished', 'cut_short')),
  held_until timestamptz not null,
  told bigint[] not null,
  places integer[] not null,
  created_at timestamptz not null
) with (fillfactor = 70);
comment on table keyed_run is 'A run of scheduled payments that was asked for under an idempotency key, which names it as run: and its id.';
comment on column keyed_run.held_until is 'By real time. Whoever runs it says before every portion that it goes on; where nobody has until then, it was cut short.';
comment on column keyed_run.told is 'The instalments of its answer in the order in which they are told; before there is one, those that were named.';
comment on column keyed_run.places is 'The places in the open batch that were told of them, one for each; 0 where none was.';

-- No reference to keyed_run: the statement that inserts has its row locked, and a check would lock it once more for every
-- payment.
create table keyed_run_payment (
  run_id bigint not null,
  instalment_id bigint not null,
  acquirer_ref text not null,
  primary key (run_id, acquirer_ref)
);
comment on table keyed_run_payment is 'What a run under a key has charged or tried to charge; written together with the attempt.';

-- As migration 29 told of the other tables with an account.
select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'keyed_run',
  'attname', 'account_id', 'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
