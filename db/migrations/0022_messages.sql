-- Texts and e-mails to payers: the outbox, what became of each message, who wants no more texts, and how much an account may send.
-- Locks nothing of weight: all tables are new, and their references hold account against schema changes for a moment.

create table message (
  message_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  merchant_number integer not null,
  channel text not null check (channel in ('text', 'email')),
  purpose text not null,
  recipient text not null,
  subject text not null,
  body_text text not null,
  body_html text,
  link_id bigint,
  public_id text not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'delivered', 'dead', 'unknown')),
  sender text not null default '',
  tries integer not null default 0,
  outages integer not null default 0,
  next_try_at timestamptz,
  fence integer not null default 0,
  claimed_until timestamptz,
  unwanted_because text not null default '',
  problem text not null default '',
  created_at timestamptz not null,
  finished_at timestamptz,
  foreign key (account_id, merchant_number) references merchant
) with (fillfactor = 80);
create index message_waiting on message (channel, message_id) where state = 'waiting';
create index message_of_account on message (account_id, created_at);
create index message_to_recipient on message (lower(recipient), created_at);
create index message_of_link on message (link_id, message_id) where link_id is not null;
create index message_finished on message (finished_at) where state <> 'waiting';
create index message_in_trouble on message (state, message_id) where state in ('dead', 'unknown');
comment on column message.recipient is 'A phone number in the international form (+12125550123), or an e-mail address.';
comment on column message.public_id is 'Made once and the same in every try; an e-mail''s Message-ID is made of it.';
comment on column message.state is 'sent: the sender has taken it. unknown: it may have been taken, and is not sent again by itself.';
comment on column message.sender is 'Which sender took it, or tried last.';
comment on column message.outages is 'How often in a row the sender was away for it. These are no tries.';
comment on column message.next_try_at is 'Null: as soon as it can be. Real time, like all moments here but created_at.';
comment on column message.fence is 'Grows with every claim. Whoever reports with an older one has lost it.';
comment on column message.claimed_until is 'Set while a sender has it in hand. What is still set afterwards belonged to a node that died.';
comment on column message.unwanted_because is 'Set when nobody wants it any more while a sender has it in hand: it is not tried again.';
comment on column message.created_at is 'By the clock of the account; the limits are counted by it.';

-- The parts of a text that were taken, which a later try leaves out, and what the sender called them, so that its delivery receipts are understood.
create table message_part (
  message_id bigint not null references message on delete cascade,
  part_number integer not null,
  sender text not null,
  sender_ref text not null,
  state text not null check (state in ('sent', 'delivered', 'failed')),
  problem text not null default '',
  changed_at timestamptz not null,
  primary key (message_id, part_number)
);
create index message_part_by_ref on message_part (sender_ref, sender);

-- Receipts that came before the part they speak of was recorded.
create table early_receipt (
  early_receipt_id bigint generated always as identity primary key,
  sender text not null,
  sender_ref text not null,
  state text not null check (state in ('delivered', 'failed')),
  problem text not null,
  received_at timestamptz not null
);
create index early_receipt_by_ref on early_receipt (sender_ref, sender);

-- A channel rests as a whole when its sender cannot be reached, so that its messages keep their order.
create table message_lane (
  channel text primary key check (channel in ('text', 'email')),
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  problem text not null default ''
);
insert into message_lane (channel) values ('text'), ('email');
comment on column message_lane.failures is 'Outages in a row, without a success between.';

create table stopped_phone (
  phone text primary key,
  stopped_at timestamptz not null
);
comment on table stopped_phone is 'Numbers that have answered STOP and not START since. No text goes there, of whichever account.';

create table inbound_text (
  inbound_text_id bigint generated always as identity primary key,
  phone text not null,
  sender text not null,
  sender_ref text not null,
  body text not null,
  word text not null check (word in ('stop', 'start', 'help', '')),
  answer_id bigint references message on delete set null,
  received_at timestamptz not null
);
create unique index inbound_text_by_ref on inbound_text (sender, sender_ref) where sender_ref <> '';
create index inbound_text_of_phone on inbound_text (phone, inbound_text_id);
comment on column inbound_text.word is 'What it was understood as; empty when it was nothing of that.';

-- What an account may send. No row: the defaults.
create table message_limit (
  account_id bigint primary key references account,
  per_hour integer not null check (per_hour >= 0),
  per_day integer not null check (per_day >= 0),
  per_recipient_hour integer not null check (per_recipient_hour >= 0),
  per_recipient_day integer not null check (per_recipient_day >= 0),
  countries text not null,
  changed_at timestamptz not null
);
comment on column message_limit.countries is 'Codes of countries, separated by blanks; empty for the default.';
