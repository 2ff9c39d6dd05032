-- Bank debits: ACH debits and credits, the files that carry them, and what banks send back.
-- Locks `attempt` for a moment only: the new list of kinds contains the old one, so no row has to be looked at. Locks
-- `vault_card_key` for a moment.

alter table attempt drop constraint attempt_kind_check;
alter table attempt add constraint attempt_kind_check check (kind in ('sale', 'verify', 'void', 'credit', 'bank_debit',
  'bank_void', 'bank_credit', 'bank_return', 'bank_credit_return')) not valid;

-- Bank accounts lie in the vault beside cards. Their ids come from the series of the cards, so that one table of wrapped keys
-- serves both, and a rotation wraps them all.
alter table vault_card_key drop constraint vault_card_key_card_id_fkey;
comment on table vault_card_key is 'The key of one card or bank account, wrapped by a version of the card key. Without its row what it opens is erased.';
comment on column vault_card_key.card_id is 'The id of a card or of a bank account: one series numbers both.';

create table vault_bank_account (
  bank_account_id bigint primary key,
  account_id bigint not null references account,
  ciphertext bytea not null,
  routing_number text not null check (routing_number ~ '^[0-9]{9}$'),
  last_four text not null check (length(last_four) <= 4),
  type text not null check (type in ('checking', 'savings')),
  is_business boolean not null,
  created_at timestamptz not null,
  erased_at timestamptz
);
comment on table vault_bank_account is 'What is shown of a bank account, and its number as nobody can read it without vault_card_key and the card key.';

-- One debit or credit of a bank account: an attempt that waits for a file.
create table bank_item (
  attempt_id bigint primary key,
  account_id bigint not null,
  merchant_number integer not null,
  kind text not null check (kind in ('debit', 'credit')),
  parent_id bigint,
  status text not null check (status in ('open', 'settled', 'failed', 'returned', 'void')),
  total_minor bigint not null check (total_minor > 0),
  credited_minor bigint not null default 0 check (credited_minor between 0 and total_minor),
  currency text not null,
  bank_account_id bigint not null references vault_bank_account,
  corrected_account_id bigint references vault_bank_account,
  authorization_id text not null,
  reference text not null,
  details jsonb not null,
  voided_by text,
  batch_id bigint,
  trace text,
  return_code text not null default '',
  correction_code text not null default '',
  settled_at timestamptz,
  resolved_at timestamptz,
  account_erased_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null
) with (fillfactor = 80);
comment on column bank_item.status is 'settled: its batch is accepted; returned: sent back by its bank; nothing leads to failed.';
comment on column bank_item.voided_by is 'The reference of its void.';
comment on column bank_item.credited_minor is 'What credits have given back of this debit.';
comment on column bank_item.corrected_account_id is 'What its bank says is right, by a notice of change; credits go there.';
comment on column bank_item.trace is 'Under which the network knows it, once it is in a file.';
comment on column bank_item.account_erased_at is 'Since when the vault no longer has the number of its account, because of its age.';
create index bank_item_keeps_account on bank_item (changed_at) where account_erased_at is null and kind = 'debit';
create index bank_item_of_parent on bank_item (parent_id) where parent_id is not null;
create index bank_item_by_time on bank_item (account_id, created_at, attempt_id);
create index bank_item_open on bank_item (account_id, merchant_number) where status = 'open' and batch_id is null;
create index bank_item_of_batch on bank_item (batch_id) where batch_id is not null;
create index bank_item_by_trace on bank_item (trace) where trace is not null;

create sequence bank_trace_seq minvalue 1 maxvalue 9999999 cycle;

-- One file for each batch with bank items: made and checked before the batch is sent, made anew if it is sent again, and final
-- once the batch is accepted.
create table bank_file (
  batch_id bigint primary key,
  account_id bigint not null,
  merchant_number integer not null,
  made_on date not null,
  modifier text not null,
  text text not null,
  digest bytea not null,
  accepted_at timestamptz,
  returns_due_at timestamptz,
  returns_done_at timestamptz,
  created_at timestamptz not null
);
comment on column bank_file.text is 'As it goes to the bank, but with stars in place of account numbers: those stay in the vault.';
comment on column bank_file.digest is 'HMAC-SHA-256 of the file with its account numbers: what is printed later is what was made.';
comment on column bank_file.accepted_at is 'When the batch was accepted; before that the file goes nowhere.';
comment on column bank_file.returns_due_at is 'When the simulated bank sends back what it returns, by the clock of the account; null where a real bank does.';
create index bank_file_returns_due on bank_file (returns_due_at) where accepted_at is not null and returns_done_at is null;
create index bank_file_of_day on bank_file (made_on);
