-- A form can make a payment plan, and the address that it was given learns of the plan's payments for as long as it runs. What is to be posted is
-- written in the commit of the payment (plan_post) and taken away by the commit that queues it.
-- Columns are added without a rewrite; form and plan are locked for a moment, form while it is read once.

alter table form
  add column plan jsonb,
  drop constraint form_fee_minor_check,
  add constraint form_fee_minor_check check (fee_minor >= 0);
comment on column form.plan is 'The payment plan that its payer agrees to; null: none.';
comment on column form.fee_minor is 'The Surcharge that the merchant asked for, or 0 where there is none; null leaves the fee to the form.';

alter table plan
  add column post_url text not null default '',
  add column post_ids_only boolean not null default false;
comment on column plan.post_url is 'Receives every payment; empty: none is posted.';

create table plan_post (
  plan_post_id bigint generated always as identity primary key,
  plan_id bigint not null references plan,
  instalment_id bigint,
  attempt_ref text not null,
  happened_at timestamptz not null
);
comment on table plan_post is 'What the address of a plan has not been posted yet.';
comment on column plan_post.instalment_id is 'Null: the plan was made.';
