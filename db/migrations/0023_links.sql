-- Text to pay: one row for each link that a merchant has ordered. The hosted forms that links are paid by have rows of their own,
-- made when somebody pays, and say which link they belong to. The table is new, and its references hold account, api_user and merchant
-- against schema changes for a moment; form and form_try are locked for a moment for the column, and form while its index is built anew.

create sequence link_id_seq as bigint;

create table link (
  link_id bigint primary key default nextval('link_id_seq'),
  account_id bigint not null references account,
  merchant_number integer not null,
  user_id bigint not null references api_user,
  code_digest bytea not null unique,
  state text not null default 'open' check (state in ('open', 'paying', 'paid', 'withdrawn', 'expired')),
  is_single_use boolean not null,
  sending text not null check (sending in ('text', 'sms', 'email', 'none')),
  recipient text not null,
  body text not null,
  amount_minor bigint check (amount_minor > 0),
  currency text not null,
  visible integer not null,
  read_only integer not null,
  styles integer not null,
  submission integer not null,
  colors text not null,
  redirect_url text not null,
  key_index text not null,
  client_ref text not null,
  guid text not null,
  payer jsonb not null,
  due_on date,
  consent_id bigint,
  questions jsonb not null,
  wrong_answers integer not null default 0,
  is_locked boolean not null default false,
  rounds integer not null default 0,
  attempt_ref text not null default '',
  payments integer not null default 0,
  transaction_id bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  sent_at timestamptz,
  opened_at timestamptz,
  paid_at timestamptz,
  ended_at timestamptz,
  is_forgotten boolean not null default false,
  foreign key (account_id, merchant_number) references merchant
) with (fillfactor = 80);
create index link_of_account on link (account_id, link_id);
create index link_to_expire on link (expires_at, account_id) where state = 'open';
create index link_to_forget on link (expires_at) where not is_forgotten;
comment on column link.code_digest is 'Of the code in the link''s address, which follows from the id by a keyed hash and is stored nowhere.';
comment on column link.state is 'paying: an attempt on a link for one payment is under way, or its outcome is not known yet.';
comment on column link.recipient is 'A phone number in the international form, or an e-mail address; empty where nothing is sent.';
comment on column link.body is 'As the merchant''s system sent it, placeholders included.';
comment on column link.amount_minor is 'Null where nothing is paid: the link is for saving a card.';
comment on column link.visible is 'The options of the form, bit by bit, as docs/hosted-form.md explains them; so are the three that follow.';
comment on column link.consent_id is 'Whose card is offered to the payer.';
comment on column link.questions is 'Each with a keyed digest of its answer.';
comment on column link.wrong_answers is 'Taken before an answer is compared, given back when it was right: no more than five are ever compared.';
comment on column link.is_locked is 'Too many cards were tried on a link for one payment. Sent again, it begins anew.';
comment on column link.rounds is 'How often it began anew: each time with another form.';
comment on column link.attempt_ref is 'Of the newest attempt on a link for one payment.';
comment on column link.transaction_id is 'The newest payment.';
comment on column link.opened_at is 'When it was opened first, perhaps by a machine that shows previews.';
comment on column link.ended_at is 'When it was withdrawn or expired.';
comment on column link.is_forgotten is 'Payer, recipient, words and questions are blanked.';
comment on column link.created_at is 'By the clock of the account, like the other moments.';

alter table form add column link_id bigint;
comment on column form.link_id is 'The link that the form is paid by, which tells of its own expiry; null for a form that was ordered by itself.';
drop index form_to_expire;
create index form_to_expire on form (expires_at, account_id) where state in ('open', 'closed') and link_id is null;

alter table form_try add column link_id bigint;
create index form_try_of_link on form_try (link_id, tried_at) where link_id is not null;
comment on column form_try.link_id is 'Of many payments, whose forms are counted together; null elsewhere.';
