-- The receipt of a consent says what was agreed, and what holds by now where that was changed: so what was agreed stays,
-- whatever is changed. null: agreed before this, and perhaps changed, so nobody can tell. Adds columns without a value, so it
-- holds consent for a moment. A node of the version before leaves them empty in what it creates.
alter table consent
  add column agreed_per_charge_minor bigint,
  add column agreed_lifetime_minor bigint,
  add column agreed_ends_on date;
comment on column consent.agreed_per_charge_minor is 'The limit per charge when it was made; null, like the two that follow: not known.';
