-- Closing the day: batches with their items, when each merchant record closes, credits of a sale, and disputes.
-- Locks `payment` for a moment only: its new columns have constant defaults, so that no row is written. Locks `attempt` against
-- writing while it is read once for an index, which voids, credits and returns alone write afterwards.

alter table payment add column credited_minor bigint not null default 0;
alter table payment add column credited_fee_minor bigint not null default 0;
comment on column payment.credited_minor is 'What approved credits have given back of this sale, its fee included.';
comment on column payment.taken_by is 'The reference of the void or credit that has this sale: a credit while it is under way, a void also after.';

create index attempt_of_parent on attempt (parent_id) where parent_id is not null;

-- One number series for each account.
create table batch_counter (
  account_id bigint primary key references account,
  last_number integer not null
);

create sequence batch_id_seq;

create table batch (
  batch_id bigint primary key default nextval('batch_id_seq'),
  account_id bigint not null,
  merchant_number integer not null,
  batch_number integer not null,
  state text not null check (state in ('closing', 'sent', 'accepted', 'rejected', 'unknown')),
  -- Our reference at the acquirer: the same however often the batch is sent.
  acquirer_ref text not null unique,
  tx_lock text not null check (tx_lock ~ '^[0-9A-F]{16}$'),
  currency text not null,
  item_count integer not null check (item_count > 0),
  sales_minor bigint not null,
  credits_minor bigint not null,
  -- The part that the card acquirer is told; the rest are other items that settle with it.
  card_count integer not null,
  card_net_minor bigint not null,
  content_hash text not null default '',
  result_code text not null default '',
  fence integer not null,
  lease_until timestamptz not null,
  created_by text not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null,
  finished_at timestamptz,
  unique (account_id, batch_number),
  foreign key (account_id, merchant_number) references merchant
);
comment on column batch.content_hash is 'Of all items as they were first sent; what is sent again must have the same.';
comment on column batch.opened_at is 'When its oldest transaction was made, by the clock of the account; so is closed_at.';
-- A record has one group under way at a time: the next one waits until this one is accepted.
create unique index batch_unfinished on batch (account_id, merchant_number) where state <> 'accepted';
create index batch_of_account on batch (account_id, batch_id);

-- Which payment is in which batch. Narrow, and apart from the payment, so that closing a day neither rewrites payments nor
-- touches their indexes. The primary key is the promise that no payment is settled twice. No foreign keys: they would be
-- checked row by row. A batch's items are written in one stretch, so a block range index finds them and costs nothing.
create table batch_item (
  payment_id bigint primary key,
  batch_id bigint not null
);
create index batch_item_of_batch on batch_item using brin (batch_id) with (pages_per_range = 16, autosummarize = on);

-- What a caller was told each time the batch was sent or asked for: a repeated key tells the same again.
create table batch_answer (
  batch_id bigint not null references batch,
  fence integer not null,
  state text not null check (state in ('accepted', 'rejected')),
  result_code text not null,
  remaining_count integer not null,
  answered_at timestamptz not null,
  primary key (batch_id, fence)
);

-- When a merchant record closes by itself. A record without a row closes as by default.
create table settlement_plan (
  account_id bigint not null,
  merchant_number integer not null,
  is_automatic boolean not null default true,
  closes_at text not null default '23:30' check (closes_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  next_close_at timestamptz,
  settled_below bigint not null default 0,
  primary key (account_id, merchant_number),
  foreign key (account_id, merchant_number) references merchant
);
comment on column settlement_plan.closes_at is 'In the zone of the merchant record.';
comment on column settlement_plan.settled_below is 'No payment of the record with a smaller id is unsettled, and none will come.';
create index settlement_plan_due on settlement_plan (next_close_at) where is_automatic;

-- A payer's bank took a payment back.
create table dispute (
  payment_id bigint primary key,
  account_id bigint not null,
  merchant_number integer not null,
  reason_code text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  state text not null check (state in ('open', 'won', 'lost')),
  opened_at timestamptz not null,
  closed_at timestamptz
);
create index dispute_of_account on dispute (account_id, opened_at);

-- The bank's own report while it is being compared with ours; the lines of a run go with it. Unlogged: a crash ends the run.
create unlogged table bank_report_line (
  run_id text not null,
  acquirer_ref text not null,
  -- Which line of the report it is: a bank may name a reference twice.
  line_number integer not null,
  kind text not null,
  approved_minor bigint,
  currency text not null,
  is_reversed boolean not null,
  settled_in text not null,
  reported_at timestamptz not null,
  primary key (run_id, acquirer_ref, line_number)
);
