-- Who may call: the installation's own mark, accounts, their merchant records, API users, tokens, sessions and failed sign-ins.
-- Locks nothing: all tables are new.

-- One row. A node whose key ring or mode differs from it refuses to start.
create table installation (
  is_only boolean primary key default true check (is_only),
  key_ring_id text not null,
  mode text not null check (mode in ('sandbox', 'live')),
  created_at timestamptz not null
);

create table account (
  account_id bigint generated always as identity primary key,
  account_code text not null unique check (account_code ~ '^[A-Z]{2}[0-9]{7}$'),
  description text not null,
  state text not null default 'open' check (state in ('open', 'locked', 'closed')),
  binds_address boolean not null default false,
  allows_partial_approvals boolean not null default false,
  allows_alternate_merchants boolean not null default false,
  verifies_cards boolean not null default true,
  last_merchant_number integer not null default 0,
  created_at timestamptz not null,
  changed_at timestamptz not null
);
comment on column account.binds_address is 'A session works only from the address that made it.';
comment on column account.allows_alternate_merchants is 'A card stored with one merchant record may be charged into another.';
comment on column account.verifies_cards is 'A new recurring consent asks the issuer for an authorization of 0.';

create table merchant (
  account_id bigint not null references account,
  merchant_number integer not null check (merchant_number > 0),
  name text not null,
  location text not null,
  address text not null,
  terminal_id text not null,
  time_zone text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  is_international boolean not null default false,
  takes_ach boolean not null default false,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (account_id, merchant_number)
);
comment on column merchant.merchant_number is 'Counts from 1 within the account.';

create table api_user (
  api_user_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  alias text not null,
  merchant_number integer,
  created_by text not null,
  created_at timestamptz not null,
  unique (account_id, alias),
  foreign key (account_id, merchant_number) references merchant
);
comment on column api_user.merchant_number is 'The only merchant record this user works for; null for all.';

create table api_token (
  token_id bigint generated always as identity primary key,
  api_user_id bigint not null references api_user,
  digest bytea not null unique,
  description text not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  changed_at timestamptz not null,
  warned_days integer
);
create index api_token_of_user on api_token (api_user_id);
comment on column api_token.digest is 'HMAC-SHA-256 of account code and token; the token itself is stored nowhere.';
comment on column api_token.warned_days is 'The last warning of expiry that was given: 60, 30, 7 or 1 day before.';

create table session (
  digest bytea primary key,
  token_id bigint not null references api_token,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_by_token on session (token_id);
create index session_by_expiry on session (expires_at);
comment on column session.digest is 'SHA-256 of the session key.';

-- Failures count for account codes that do not exist too, so that an answer never tells which ones do.
create table sign_in_failure (
  account_code text not null,
  network text not null,
  failures_in_a_row integer not null,
  failed_at timestamptz not null,
  locked_until timestamptz,
  primary key (account_code, network)
);
create index sign_in_failure_by_age on sign_in_failure (failed_at);
comment on column sign_in_failure.network is 'The /24 of an IPv4 address, the /64 of an IPv6 address.';

-- The same failures by time, so that the last hour can be told whenever it is asked for.
create table sign_in_count (
  account_code text not null,
  network text not null,
  minute timestamptz not null,
  failures integer not null,
  primary key (account_code, network, minute)
);
create index sign_in_count_by_age on sign_in_count (minute);

-- Failed sign-ins by address and minute. Unlogged: losing it in a crash forgives a minute of guessing.
create unlogged table sign_in_rate (
  address text not null,
  minute timestamptz not null,
  failures integer not null,
  primary key (address, minute)
);
