-- A clock for every sandbox account, with the diary of its last move; recovery that goes by real time alone; the nodes that may
-- send, so that a restored or copied database is noticed.
-- Locks unresolved_attempt, which is nearly always empty, for the moment of the change. All other tables are new.

create table account_clock (
  account_id bigint primary key references account,
  ahead_ms bigint not null default 0 check (ahead_ms >= 0),
  moving_to timestamptz,
  fence integer not null default 0,
  lease_until timestamptz
);
comment on table account_clock is 'Whose due work was ever run. One process at a time runs the due work of an account, as real time passes or because its clock is moved.';
comment on column account_clock.ahead_ms is 'How far the account is ahead of real time. Grows only, and only in the sandbox.';
comment on column account_clock.moving_to is 'The clock is on its way there, or its mover died and any node may go on.';
comment on column account_clock.fence is 'Grows with every turn. Whoever comes with an older one has lost its turn.';
comment on column account_clock.lease_until is 'Real time. Afterwards anybody may take the next turn.';

-- What the last move of an account's clock brought. A new move begins a new diary.
create table clock_diary (
  clock_diary_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  happened_at timestamptz not null,
  what text not null,
  subject bigint,
  sentence text not null
);
create index clock_diary_of_account on clock_diary (account_id, clock_diary_id);

-- created_at of an attempt is the account's time from now on, so recovery counts from a moment of its own.
alter table unresolved_attempt add column since timestamptz;
update unresolved_attempt u set since = a.created_at from attempt a where a.attempt_id = u.attempt_id;
alter table unresolved_attempt alter column since set not null;
comment on column unresolved_attempt.since is 'Real time.';
comment on column attempt.created_at is 'By the account''s clock, like every business date. lease_until and answered_at are real time.';

-- Who may send. A node that is not here while others are has a copy of the database, until an operator says otherwise.
create table node (
  node_digest text primary key,
  registered_at timestamptz not null,
  reason text not null
);
comment on column node.node_digest is 'SHA-256 of the id in the node''s own state file.';
comment on column node.reason is 'Why it may send: first, joined, or the words of the operator who confirmed it.';
