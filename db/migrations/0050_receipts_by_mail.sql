-- Receipts by e-mail for what a merchant's own program charges, gives back and voids, where the merchant record asks for it. Off unless it
-- does, and then nothing of this is written. The table is new; the column holds merchant for a moment, and readers of merchant
-- records wait that long. A node of the version before requests no receipts, and mails none.

alter table merchant add column mails_receipts boolean not null default false;
comment on column merchant.mails_receipts is 'Payers whose e-mail address is known are mailed a receipt of what calls charge, credit and void.';

-- No references to account and attempt: they would lock a row for every charge.
create table receipt_request (
  acquirer_ref text primary key,
  account_id bigint not null,
  email text not null,
  state text not null check (state in ('waiting', 'due', 'done')),
  created_at timestamptz not null
);
create index receipt_request_due on receipt_request (created_at) where state = 'due';
create index receipt_request_by_age on receipt_request (created_at);
comment on table receipt_request is 'A receipt that a payer is mailed once the attempt is approved. Stays for a while, so that a refund finds the address.';
comment on column receipt_request.acquirer_ref is 'Of the attempt.';
comment on column receipt_request.state is 'waiting for the outcome; due: approved, and not mailed yet; done.';
comment on column receipt_request.created_at is 'By the account''s clock.';

comment on column form.payer_language is 'In which the payer read the page, as Intl knows it, such as en-US or es; empty before the first try.';

-- As migration 29 does for the other tables with an account.
select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'receipt_request',
  'attname', 'account_id', 'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
