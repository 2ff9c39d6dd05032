-- What a charge costs before its first row is touched: PostgreSQL reads the text of every check of a table anew for each statement
-- that writes to it, and lists of words are long. The check of a domain it keeps.
-- Rewrites no table, but reads attempt, payment and consent once to check their words while it holds them, so a large database is
-- migrated in a quiet hour.

create domain attempt_kind as text;
create domain attempt_state as text;
create domain attempt_policy as text;
create domain avs_need as text;
create domain payment_status as text;
create domain consent_kind as text;
create domain consent_state as text;

alter table attempt
  drop constraint attempt_kind_check,
  drop constraint attempt_state_check,
  drop constraint attempt_policy_check,
  drop constraint attempt_avs_needed_check,
  -- The fee is not negative, and the total not less than the fee.
  drop constraint attempt_total_minor_check,
  alter column kind type attempt_kind,
  alter column state type attempt_state,
  alter column policy type attempt_policy,
  alter column avs_needed type avs_need;
alter table payment drop constraint payment_status_check, alter column status type payment_status;
alter table consent
  drop constraint consent_kind_check,
  drop constraint consent_state_check,
  alter column kind type consent_kind,
  alter column state type consent_state;

alter domain attempt_kind add constraint attempt_kind_check check (value in
  ('sale', 'verify', 'void', 'credit', 'bank_debit', 'bank_void', 'bank_credit', 'bank_return', 'bank_credit_return'));
alter domain attempt_state add constraint attempt_state_check check (value in
  ('sending', 'approved', 'partial', 'declined', 'not_sent', 'unknown', 'reversal_due', 'reversing', 'reversed', 'manual', 'refused'));
alter domain attempt_policy add constraint attempt_policy_check check (value in ('resolve', 'reverse'));
alter domain avs_need add constraint avs_need_check check (value in ('none', 'zip', 'full'));
alter domain payment_status add constraint payment_status_check check (value in ('open', 'failed', 'void', 'settled'));
alter domain consent_kind add constraint consent_kind_check check (value in ('A', 'R', 'S', 'O'));
alter domain consent_state add constraint consent_state_check check (value in ('pending', 'active', 'cancelled'));

-- Sessions are remembered with the settings of their account, so whoever remembers them is told of a change.
create function tell_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('tillgate_sessions', new.account_id::text);
  return null;
end
$$;
create trigger account_change after update of binds_address, allows_partial_approvals, allows_alternate_merchants on account
  for each row execute function tell_account_change();
