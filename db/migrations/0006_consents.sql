-- Consents: the payer's agreement that a stored card may be charged, with its limits.
-- Locks nothing of weight: the tables are new, and their references hold account, merchant and vault_card against schema
-- changes for a moment.

-- Every charge changes used_minor, so there is room on each page and no index over a column that moves.
create table consent (
  consent_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  merchant_number integer not null,
  kind text not null check (kind in ('A', 'R', 'S', 'O')),
  state text not null check (state in ('pending', 'active', 'cancelled')),
  card_id bigint references vault_card,
  currency text not null,
  limit_per_charge_minor bigint not null check (limit_per_charge_minor > 0),
  limit_lifetime_minor bigint not null check (limit_lifetime_minor > 0),
  used_minor bigint not null default 0 check (used_minor >= 0),
  starts_on date not null,
  ends_on date not null,
  days integer not null check (days > 0),
  customer_ref text not null,
  service text not null,
  guid text not null,
  holder_first_name text not null,
  holder_last_name text not null,
  customer_first_name text not null,
  customer_last_name text not null,
  company text not null,
  email text not null,
  phone text not null,
  street text not null,
  zip text not null,
  network_id text not null default '',
  creation_ref text not null unique,
  created_by text not null default '',
  created_by_user bigint not null references api_user,
  agreement text not null default '',
  agreed_at timestamptz not null,
  agreed_from text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  foreign key (account_id, merchant_number) references merchant
) with (fillfactor = 70);
create index consent_of_account on consent (account_id, consent_id);
comment on column consent.kind is 'A annual, R recurring, S subscription without end, O one-time.';
comment on column consent.state is 'pending: the issuer has not yet said whether the card is good.';
comment on column consent.used_minor is 'Approved charges and those whose outcome is not known, fees included; voids give back. No check against the limits: a limit may be lowered below what is used.';
comment on column consent.ends_on is 'The last good day: the start and so many days, but never past the expiry of the card.';
comment on column consent.days is 'As agreed, so that a card with a later expiry gives back what the old one had cut off.';
comment on column consent.network_id is 'The network''s id of the first authorization, which later charges refer to.';
comment on column consent.creation_ref is 'Under which its creation is found again by the caller''s key.';
comment on column consent.created_by is 'As the caller claimed; created_by_user is who it was.';
comment on column consent.agreement is 'The text that the payer agreed to; empty where the merchant vouches for it.';
comment on column consent.agreed_from is 'The address of whoever agreed, or of the merchant who vouches for it.';

-- Consents that somebody has to come back to: the issuer's word on a new card is awaited, or a card must go as soon as no
-- outcome on it is open. Nearly always empty.
create table unfinished_consent (
  consent_id bigint primary key references consent,
  since timestamptz not null
);
