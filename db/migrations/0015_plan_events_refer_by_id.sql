-- What happened to a plan refers to it by its id alone; and an instalment remembers while it is charged that its retries had
-- been used up before.
-- Locks plan_event, plan and instalment for a moment: a constraint is dropped, and the new column has a constant default, so no
-- row is rewritten.

-- A plan that has events is never deleted, and the check locked the plan after its instalments, against the order of locks.
alter table plan_event drop constraint plan_event_plan_id_fkey;

alter table instalment add column had_failed boolean not null default false;
comment on column instalment.had_failed is 'Of its latest attempt: it had failed before, so an attempt that comes to nothing leaves it failed.';
