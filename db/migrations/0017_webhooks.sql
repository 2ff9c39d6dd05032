-- Webhooks: who is told of events, with which secrets, what was sent and what came of it; and the sandbox's inbox.
-- Locks nothing of weight: all tables are new, and their references hold account against schema changes for a moment.

create table webhook_endpoint (
  endpoint_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  url text not null,
  event_types jsonb not null,
  description text not null,
  state text not null check (state in ('active', 'disabled')),
  disabled_because text not null default '',
  created_by text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null
);
create unique index webhook_endpoint_active on webhook_endpoint (account_id, url) where state = 'active';
create index webhook_endpoint_of_account on webhook_endpoint (account_id, endpoint_id);
comment on column webhook_endpoint.event_types is 'A list of types; an empty one means all.';

create table webhook_secret (
  secret_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  endpoint_id bigint references webhook_endpoint,
  sealed bytea not null,
  made_at timestamptz not null,
  valid_until timestamptz
);
create unique index webhook_secret_current on webhook_secret (account_id, coalesce(endpoint_id, 0)) where valid_until is null;
create index webhook_secret_of_owner on webhook_secret (account_id, endpoint_id);
comment on column webhook_secret.endpoint_id is 'Null for the secret of the account itself, which signs what forms post.';
comment on column webhook_secret.sealed is 'Sealed by a key of the key ring for this account and endpoint.';
comment on column webhook_secret.valid_until is 'Real time. Null for the current one; a replaced one signs along until then.';

-- What is sent to one receiver goes one way, so that a receiver which hangs delays nobody else.
create table webhook_lane (
  lane text primary key,
  account_id bigint not null,
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz
);
comment on column webhook_lane.lane is 'endpoint:<id>, or post:<account>:<origin> for what forms post.';
comment on column webhook_lane.failures is 'In a row, without a success between.';
comment on column webhook_lane.paused_until is 'By the clock of the account, like failing_since and the times of tries.';

create table webhook_delivery (
  delivery_id bigint generated always as identity primary key,
  account_id bigint not null,
  lane text not null references webhook_lane,
  endpoint_id bigint references webhook_endpoint,
  event_id bigint,
  message_id text not null,
  method text not null check (method in ('POST', 'GET')),
  url text not null,
  body text not null,
  state text not null check (state in ('waiting', 'delivered', 'dead')),
  tries integer not null default 0,
  next_try_at timestamptz not null,
  fence integer not null default 0,
  claimed_until timestamptz,
  status integer,
  problem text not null default '',
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (lane, message_id)
);
create unique index webhook_delivery_of_event on webhook_delivery (endpoint_id, event_id) where event_id is not null;
create index webhook_delivery_due on webhook_delivery (lane, next_try_at) where state = 'waiting';
create index webhook_delivery_of_account on webhook_delivery (account_id, delivery_id);
create index webhook_delivery_finished on webhook_delivery (finished_at) where state <> 'waiting';
comment on column webhook_delivery.body is 'The exact text, written once: every repeat sends the same bytes.';
comment on column webhook_delivery.next_try_at is 'By the clock of the account.';
comment on column webhook_delivery.fence is 'Grows with every claim. Whoever reports with an older one has lost it.';
comment on column webhook_delivery.claimed_until is 'Real time. Afterwards any node may try again.';
comment on column webhook_delivery.finished_at is 'Real time.';

create table webhook_try (
  try_id bigint generated always as identity primary key,
  delivery_id bigint not null references webhook_delivery on delete cascade,
  try_number integer not null,
  request_head text not null,
  status integer,
  answer_head text not null,
  problem text not null,
  took_ms integer not null,
  tried_at timestamptz not null
);
create index webhook_try_of_delivery on webhook_try (delivery_id, try_id);
comment on column webhook_try.request_head is 'Request line and headers; the body is that of the delivery.';
comment on column webhook_try.tried_at is 'Real time.';

-- One row: events up to this id have been handed to all endpoints that want them.
create table event_cursor (
  is_only boolean primary key default true check (is_only),
  event_id bigint not null
);
insert into event_cursor (event_id)
  select case when is_called then last_value else 0 end from event_event_id_seq;

-- What the sandbox's own receiver was sent, the newest only.
create table inbox_message (
  inbox_message_id bigint generated always as identity primary key,
  name text not null,
  method text not null,
  path text not null,
  headers jsonb not null,
  body bytea not null,
  verdict text not null,
  explanation text not null,
  answered integer not null,
  received_at timestamptz not null
);
