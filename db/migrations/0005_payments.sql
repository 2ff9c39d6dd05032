-- How money moves: attempts with their history, final payments, idempotency keys, postings and events.
-- Locks nothing: all tables are new.

create sequence attempt_id_seq;

-- One try to move money. Written once before anything is sent and moved when its outcome is known. No index over a
-- column that moves, and room on each page, so that a move stays on its page.
create table attempt (
  attempt_id bigint primary key default nextval('attempt_id_seq'),
  account_id bigint not null references account,
  merchant_number integer not null,
  kind text not null check (kind in ('sale', 'verify', 'void', 'credit')),
  parent_id bigint,
  total_minor bigint not null check (total_minor >= 0),
  fee_minor bigint not null check (fee_minor >= 0 and fee_minor <= total_minor),
  currency text not null,
  acquirer_ref text not null unique,
  -- What is asked about at the acquirer: the attempt itself, or for a void its sale.
  subject_ref text not null,
  policy text not null check (policy in ('resolve', 'reverse')),
  accepts_partial boolean not null,
  avs_needed text not null check (avs_needed in ('none', 'zip', 'full')),
  cvv_needed boolean not null,
  following jsonb not null,
  details jsonb not null,
  state text not null check (state in ('sending', 'approved', 'partial', 'declined', 'not_sent', 'unknown',
    'reversal_due', 'reversing', 'reversed', 'manual', 'refused')),
  fence integer not null,
  lease_until timestamptz not null,
  approved_minor bigint not null default 0,
  approved_fee_minor bigint not null default 0,
  approval_code text not null default '',
  result_code text not null default '',
  avs text not null default '',
  cvv text not null default '',
  network_id text not null default '',
  created_at timestamptz not null,
  answered_at timestamptz
) with (fillfactor = 50);
comment on column attempt.details is 'What the caller said about it: names, references, last four digits. Never a card.';
comment on column attempt.following is 'Names of the followers with the ids of their rows, in lock order.';

-- Attempts off the straight path, with the time of the next look at them. The straight path never touches it.
create table unresolved_attempt (
  attempt_id bigint primary key references attempt,
  next_check_at timestamptz not null,
  checks integer not null default 0,
  not_found_at timestamptz,
  is_late boolean not null default false
);
comment on column unresolved_attempt.is_late is 'An approval came after the attempt had been closed; it is only reversed.';
create index unresolved_attempt_by_time on unresolved_attempt (next_check_at);

-- One row: below this id every attempt is final, or stands in unresolved_attempt.
create table recovery_watermark (
  is_only boolean primary key default true check (is_only),
  attempt_id bigint not null
);
insert into recovery_watermark (attempt_id) values (0);

-- Moves off the straight path only: the two moves of an ordinary charge are in its row.
create table attempt_event (
  attempt_event_id bigint generated always as identity primary key,
  attempt_id bigint not null,
  from_state text not null,
  to_state text not null,
  fence integer not null,
  cause text not null,
  is_late boolean not null,
  happened_at timestamptz not null
);
create index attempt_event_of_attempt on attempt_event (attempt_id);

-- The final record that people search, void, credit and settle.
create table payment (
  payment_id bigint primary key,
  account_id bigint not null,
  merchant_number integer not null,
  kind text not null,
  parent_id bigint,
  status text not null check (status in ('open', 'failed', 'void', 'settled')),
  total_minor bigint not null,
  fee_minor bigint not null,
  currency text not null,
  acquirer_ref text not null,
  approval_code text not null,
  result_code text not null,
  avs text not null,
  cvv text not null,
  is_partial boolean not null,
  details jsonb not null,
  -- The reference of the void that has taken this sale, while it is under way and after.
  taken_by text,
  created_at timestamptz not null,
  changed_at timestamptz not null
) with (fillfactor = 80);
create index payment_of_account on payment (account_id, payment_id);

create table idempotency (
  account_id bigint not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  acquirer_ref text not null,
  created_at timestamptz not null,
  primary key (account_id, operation, key)
);
create index idempotency_by_ref on idempotency (acquirer_ref);
comment on column idempotency.fingerprint is 'HMAC of the request without security code and track.';

-- Immutable. Each row names its debit and its credit account, so the whole is balanced by construction.
create table posting (
  posting_id bigint generated always as identity primary key,
  attempt_id bigint not null,
  account_id bigint not null,
  merchant_number integer not null,
  debit text not null,
  credit text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  created_at timestamptz not null,
  check (debit <> credit)
);
create index posting_of_attempt on posting (attempt_id);

create table event (
  event_id bigint generated always as identity primary key,
  account_id bigint not null,
  type text not null,
  object_id bigint not null,
  body jsonb not null,
  created_at timestamptz not null
);
create index event_of_account on event (account_id, event_id);
