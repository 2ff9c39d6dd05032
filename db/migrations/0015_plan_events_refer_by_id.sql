-- An instalment remembers while it is charged that its retries had been used up before.
-- Locks instalment for a moment: the new column has a constant default, so no row is rewritten.

alter table instalment add column had_failed boolean not null default false;
comment on column instalment.had_failed is 'Of its latest attempt: it had failed before, so an attempt that comes to nothing leaves it failed.';
