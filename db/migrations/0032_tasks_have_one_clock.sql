-- Tasks go by real time. One that was to go by an account's clock was kept and never run: what falls due by such a clock is found in the
-- rows that say when (account_clock). Nothing has ever asked for one, so the rows stay as they are.
-- Holds task while its few rows are read and indexed. Nodes of the version before go on: they write and read the column, so it stays,
-- with its default, and a later version may drop it.

alter table task
  drop constraint task_check,
  drop constraint task_clock_check,
  add constraint task_clock_check check (clock = 'real');
comment on column task.clock is 'Always real. For nodes of the version before, and to be dropped when there are none left.';

drop index task_due;
create index task_due on task (due_at) where state = 'waiting';
