-- An endpoint is given up after days of failures only, so a lane knows when it failed last; and a form that nobody paid in time is
-- told of once, so it has a state of its own. Locks both tables for a moment; the check reads forms, of which there are few.

alter table webhook_lane add column last_failed_at timestamptz;
comment on column webhook_lane.last_failed_at is 'By the clock of the account. A failure long after it begins a new count of days.';

alter table form
  drop constraint form_state_check,
  add constraint form_state_check check (state in ('open', 'paying', 'paid', 'closed', 'expired'));
create index form_to_expire on form (expires_at, account_id) where state in ('open', 'closed');
comment on column form.state is 'paying: an attempt is under way or its outcome is not known yet. closed: too many tries. expired: not paid in time, and told so.';
