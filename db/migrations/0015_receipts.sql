-- Receipts: what each of them says, kept from the first time it was asked for, so that a reprint never changes.
-- Locks nothing: the table is new.

create table receipt (
  account_id bigint not null,
  receipt_type integer not null,
  subject_id bigint not null,
  snapshot jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, receipt_type, subject_id)
);
comment on column receipt.receipt_type is 'As on the wire; with it goes whether subject_id is a transaction or a consent.';
