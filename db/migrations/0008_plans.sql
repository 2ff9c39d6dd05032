-- Payment plans: what was agreed, every instalment of it, and why each stands where it stands; and whether a merchant
-- record collects by itself.
-- Locks merchant for a moment: its new columns have constant defaults, so no row is rewritten. The tables are new.

alter table merchant
  add column collects_automatically boolean not null default true,
  add column collects_at_minute integer not null default 180 check (collects_at_minute between 0 and 1439);
comment on column merchant.collects_automatically is 'Due instalments are charged once a day without a call.';
comment on column merchant.collects_at_minute is 'Minutes after midnight in the record''s zone; 180 is 03:00.';

-- The plan of a recurring consent, one for each. Its row is what instalments are made from, also after a crash between the
-- issuer's word and ours.
create table plan (
  plan_id bigint generated always as identity primary key,
  account_id bigint not null references account,
  merchant_number integer not null,
  consent_id bigint not null unique references consent,
  state text not null check (state in ('pending', 'active', 'cancelled')),
  period text not null check (period in ('WEEKLY', 'BI_WEEKLY', 'TWICE_MONTHLY', 'MONTHLY', 'BI_MONTHLY', 'QUARTERLY',
    'SEMI_ANNUALLY', 'ANNUALLY')),
  starts_on date not null,
  -- Null for a subscription, which has no end.
  payments integer check (payments > 0),
  currency text not null,
  agreed_minor bigint not null check (agreed_minor > 0),
  total_minor bigint not null check (total_minor >= 0),
  payment_minor bigint not null check (payment_minor > 0),
  because text not null default '',
  created_at timestamptz not null,
  changed_at timestamptz not null,
  foreign key (account_id, merchant_number) references merchant
) with (fillfactor = 80);
create index plan_of_account on plan (account_id, plan_id);
create index plan_pending on plan (plan_id) where state = 'pending';
comment on column plan.state is 'pending: the issuer has not yet said whether the card is good, and there are no instalments.';
comment on column plan.agreed_minor is 'As agreed at the start and never changed: all payments together, or each of a subscription.';
comment on column plan.total_minor is 'All payments together as they are now; each one of a subscription.';
comment on column plan.payment_minor is 'The usual payment; what a subscription goes on with.';
comment on column plan.because is 'Why it was cancelled, for people.';

-- One payment of a plan. Taken by a guarded change before anything is sent, so that it is charged at most once.
create table instalment (
  instalment_id bigint generated always as identity primary key,
  plan_id bigint not null references plan,
  account_id bigint not null,
  merchant_number integer not null,
  consent_id bigint not null,
  payment_number integer not null check (payment_number > 0),
  state text not null check (state in ('scheduled', 'charging', 'paid', 'failed', 'cancelled')),
  due_on date not null,
  attempt_on date not null,
  collect_on date not null,
  announce_on date,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  tries integer not null default 0 check (tries >= 0),
  declines integer not null default 0 check (declines >= 0),
  declined_on date,
  is_final_failure boolean not null default false,
  attempt_ref text,
  claimed_until timestamptz,
  because text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (plan_id, payment_number)
) with (fillfactor = 70);
create index instalment_due on instalment (account_id, merchant_number, attempt_on, instalment_id) where state = 'scheduled';
create index instalment_to_collect on instalment (collect_on, account_id, merchant_number) where state = 'scheduled';
create index instalment_to_announce on instalment (announce_on, account_id) where announce_on is not null;
create index instalment_of_account on instalment (account_id, due_on, instalment_id);
comment on column instalment.state is 'charging: an attempt is under way, or its outcome is not known yet.';
comment on column instalment.due_on is 'As agreed, or as moved since. Retries leave it as it is.';
comment on column instalment.attempt_on is 'The next day on which it may be charged: due_on, and after a decline the day of the retry.';
comment on column instalment.collect_on is 'The first day whose automatic run may take it: attempt_on, or later when that day''s run was over.';
comment on column instalment.announce_on is 'The day on which it is announced as upcoming; null when it was, or never is.';
comment on column instalment.tries is 'Attempts recorded for it; each has a reference of its own that follows from this number.';
comment on column instalment.declines is 'Declines in a row since it was last scheduled by somebody; declined_on is the day of the first.';
comment on column instalment.is_final_failure is 'The issuer will never approve it: only a new card helps.';
comment on column instalment.attempt_ref is 'The reference of its latest attempt.';
comment on column instalment.claimed_until is 'A run means to charge it and others leave it alone until then; what guards it is its state.';
comment on column instalment.because is 'Why it stands where it stands and what comes next, for people.';

-- What happened to a plan, in order, for people: made, charged, declined, moved, cancelled, and why. Never changed.
create table plan_event (
  plan_event_id bigint generated always as identity primary key,
  plan_id bigint not null references plan,
  account_id bigint not null,
  instalment_id bigint,
  what text not null,
  because text not null,
  attempt_ref text,
  next_on date,
  happened_at timestamptz not null
);
create index plan_event_of_plan on plan_event (plan_id, plan_event_id);
comment on column plan_event.instalment_id is 'Null for what concerns the plan as a whole.';
comment on column plan_event.next_on is 'The day on which it is tried next, as decided then.';
