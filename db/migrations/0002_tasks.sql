-- The one queue: work that falls due, claimed by whichever node is free and taken over when that node dies.
-- Locks nothing of weight: the table is new, and its reference holds account against schema changes for a moment.

create table task (
  task_id bigint generated always as identity primary key,
  kind text not null,
  key text not null,
  account_id bigint references account,
  payload jsonb not null,
  clock text not null default 'real' check (clock in ('real', 'account')),
  due_at timestamptz not null,
  due_again_at timestamptz,
  state text not null default 'waiting' check (state in ('waiting', 'dead')),
  tries integer not null default 0 check (tries >= 0),
  tries_max integer check (tries_max > 0),
  fence integer not null default 0,
  lease_owner text,
  lease_until timestamptz,
  last_error text check (length(last_error) <= 500),
  created_at timestamptz not null default now(),
  check (clock = 'real' or account_id is not null),
  check ((lease_owner is null) = (lease_until is null))
);
-- Dead tasks stay to be looked at and do not stand in the way of the same work being asked for afresh.
create unique index task_open on task (kind, key) where state = 'waiting';
create index task_due on task (due_at) where state = 'waiting' and clock = 'real';

comment on table task is 'Finished tasks are deleted. A waiting task with a lease is being run.';
comment on column task.clock is 'Whose time due_at is. The real-time loop leaves tasks of an account''s clock alone.';
comment on column task.due_again_at is 'Asked for again while it was being run: due once more then.';
comment on column task.tries is 'Counted when a try begins, so that a task that kills its node is given up as well.';
comment on column task.tries_max is 'Null: never given up.';
comment on column task.fence is 'Grows with every claim. Whoever reports with an older fence has lost the task.';
comment on column task.lease_until is 'Real time. Afterwards any node may claim the task.';
