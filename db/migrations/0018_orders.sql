-- International orders: one row for each order, and one for each step that its payment takes. A step repeats what people
-- search by, so that every search reads one table and every condition can be led by an index of it.
-- Locks nothing: both tables are new.

create sequence card_order_id_seq as bigint;

create table card_order (
  order_id bigint primary key default nextval('card_order_id_seq'),
  account_id bigint not null,
  merchant_number integer not null,
  transaction_id text not null unique,
  action text not null check (action in ('SALE', 'RECURRING_SALE')),
  state text not null
    check (state in ('opened', 'challenged', 'charging', 'settled', 'declined', 'reversed', 'void', 'charged_back')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  sale_ref text unique,
  taken_by text,
  last_four text not null,
  brand text not null,
  expiry text not null,
  card_token text not null check (card_token ~ '^[0-9a-f]{64}$'),
  consent_id bigint,
  consent_token text not null default '',
  instalment_id bigint,
  descriptor text not null,
  service text not null default '',
  client_ref text not null,
  guid text not null,
  origin text not null,
  payer jsonb not null,
  saving jsonb,
  challenge_id text,
  proof jsonb,
  answer_until timestamptz,
  because text not null default '',
  bank_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  foreign key (account_id, merchant_number) references merchant (account_id, merchant_number)
) with (fillfactor = 70);
create index card_order_by_consent_token on card_order (consent_token, order_id) where consent_token <> '';
create index card_order_unanswered on card_order (answer_until) where state in ('opened', 'challenged');
comment on column card_order.transaction_id is 'A UUID; so is consent_token.';
comment on column card_order.state is 'opened: the bank of the payer is being asked whether it wants to see the payer; challenged: it does.';
comment on column card_order.sale_ref is 'The reference of its charge; null before.';
comment on column card_order.taken_by is 'The reference of the void or credit that is under way.';
comment on column card_order.card_token is 'The same for the same card within an account; says nothing about its number.';
comment on column card_order.consent_token is 'Under which the card may be charged again; the consent is made by the first order that has it.';
comment on column card_order.instalment_id is 'The scheduled payment that it charged.';
comment on column card_order.payer is 'Names, contacts and address. Never a card.';
comment on column card_order.saving is 'What the payer agreed to when the card is to be kept; null otherwise.';
comment on column card_order.proof is 'What the bank of the payer said about who paid.';
comment on column card_order.answer_until is 'By the clock of the account: an order that is not charged by then is declined.';
comment on column card_order.because is 'Why it was declined: issuer, unreachable, not_confirmed, timed_out.';
comment on column card_order.bank_at is 'The bank cut-off that took it; until then it can be voided.';

create table order_record (
  record_id bigint generated always as identity primary key,
  order_id bigint not null references card_order (order_id),
  account_id bigint not null,
  merchant_number integer not null,
  transaction_id text not null,
  action text not null check (action in ('SALE', 'RECURRING_SALE', 'CREDITVOID')),
  result text not null check (result in ('SUCCESS', 'DECLINED', 'REDIRECT', 'ACCEPTED', 'ERROR')),
  status text not null check (
    status in ('PENDING', 'REDIRECT', '3DS', 'SETTLED', 'REVERSAL', 'REFUND', 'DECLINED', 'CHARGEBACK', 'VOID')),
  amount_minor bigint not null,
  amount_mills bigint not null,
  currency text not null,
  approval_code text not null,
  decline_reason text not null,
  attempt_ref text not null,
  last_name text not null,
  first_name text not null,
  customer_last_name text not null,
  customer_first_name text not null,
  client_ref text not null,
  guid text not null,
  last_four text not null,
  consent_id text not null,
  consent_token text not null,
  origin text not null,
  awaits_bank boolean not null,
  bank_at timestamptz,
  chargeback_at timestamptz,
  reason_code text,
  created_at timestamptz not null
);
create index order_record_of_order on order_record (account_id, order_id desc, record_id);
create index order_record_by_time on order_record (account_id, created_at, merchant_number, amount_mills);
create index order_record_by_transaction on order_record (transaction_id);
create index order_record_by_name on order_record (account_id, lower(last_name) text_pattern_ops);
create index order_record_by_last_four on order_record (account_id, last_four);
create index order_record_by_client_ref on order_record (account_id, lower(client_ref)) where lower(client_ref) <> '';
create index order_record_by_guid on order_record (account_id, lower(guid)) where lower(guid) <> '';
create index order_record_by_consent on order_record (account_id, consent_id) where consent_id <> '';
create index order_record_by_token on order_record (account_id, consent_token) where consent_token <> '';
create index order_record_awaiting_bank on order_record (account_id, merchant_number, created_at) where awaits_bank;
comment on column order_record.amount_mills is 'In thousandths of a unit, whatever the currency has: what searches compare.';
comment on column order_record.consent_id is 'Empty without one.';
comment on column order_record.awaits_bank is 'Its money moves with the next bank cut-off, which fills bank_at.';
