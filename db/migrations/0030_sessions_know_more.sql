-- Sessions are remembered with what their account wants to know of new cards, too.
create or replace trigger account_change
  after update of binds_address, allows_partial_approvals, allows_alternate_merchants, verifies_cards on account
  for each row execute function tell_account_change();
