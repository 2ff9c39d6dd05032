-- The hosted payment form: one row for each form that a merchant has ordered, what a merchant record says about its forms, the
-- keys of integrators, and the tries by which card testing is noticed. Locks nothing: the tables are new.

create table form (
  form_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  merchant_number integer not null,
  user_id bigint not null references api_user,
  token_digest bytea not null unique,
  state text not null default 'open' check (state in ('open', 'paying', 'paid', 'closed')),
  amount_minor bigint check (amount_minor > 0),
  currency text not null,
  visible integer not null,
  read_only integer not null,
  styles integer not null,
  submission integer not null,
  colors text not null,
  post_url text not null,
  redirect_url text not null,
  client_ref text not null,
  guid text not null,
  key_index text not null,
  payer jsonb not null,
  tries integer not null default 0,
  attempt_ref text not null default '',
  consent_id bigint,
  browser_digest bytea,
  is_posted boolean not null default true,
  is_extended boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  paid_at timestamptz,
  foreign key (account_id, merchant_number) references merchant
) with (fillfactor = 70);
create index form_of_account on form (account_id, form_id);
create index form_to_post on form (form_id) where not is_posted;
comment on column form.token_digest is 'Of the token in the form''s address, which is stored nowhere.';
comment on column form.state is 'paying: an attempt is under way or its outcome is not known yet. closed: too many tries.';
comment on column form.amount_minor is 'Null where the payer types the amount, or where nothing is paid.';
comment on column form.visible is 'The merchant''s options, bit by bit, as docs/hosted-form.md explains them; so are the three that follow.';
comment on column form.tries is 'How often a payment was begun. A page carries the number it was made with, so that sending it twice does nothing.';
comment on column form.attempt_ref is 'Of the newest attempt; empty before the first, and where a card was stored without asking its issuer.';
comment on column form.consent_id is 'Under which the card is stored, once the outcome is known to be good.';
comment on column form.browser_digest is 'Of the cookie of the browser that began the newest attempt: it alone sees the receipt.';
comment on column form.is_posted is 'False from the moment of payment until what the merchant''s system is told is queued.';
comment on column form.expires_at is 'By the clock of the account, like the other moments.';

-- What a merchant record says about its forms beyond the record itself. No row: the defaults.
create table form_setting (
  account_id bigint not null,
  merchant_number integer not null,
  phone text not null default '',
  origins text not null default '',
  changed_at timestamptz not null,
  primary key (account_id, merchant_number),
  foreign key (account_id, merchant_number) references merchant
);
comment on column form_setting.origins is 'Separated by blanks: where forms may be embedded, and in live mode where payers may be sent and values posted.';

-- Which key an integrator reads encrypted values with. The key itself is derived from the key ring and the salt.
create table integrator_key (
  account_id bigint not null references account,
  key_index text not null,
  salt text not null,
  is_enabled boolean not null default true,
  created_at timestamptz not null,
  primary key (account_id, key_index)
);

-- What payers tried, for a day, so that card testing is noticed. Not worth a write-ahead log: after a crash it begins anew.
create unlogged table form_try (
  form_try_id bigint generated always as identity primary key,
  form_id bigint not null,
  network text not null,
  card_digest bytea not null,
  is_declined boolean not null default false,
  tried_at timestamptz not null
);
create index form_try_of_form on form_try (form_id);
create index form_try_of_network on form_try (network, tried_at);
create index form_try_of_card on form_try (card_digest, tried_at);
create index form_try_by_age on form_try (tried_at);
comment on column form_try.network is 'The /32 or /64 of the payer''s address.';
comment on column form_try.tried_at is 'Real time.';
