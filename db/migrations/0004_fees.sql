-- What a merchant record adds to an amount, and what its consents may spend when nobody says otherwise.
-- Locks merchant against everything for a moment: the new columns have constant defaults, so no row is rewritten; the checks
-- read the table once, which has a row per till.

alter table merchant
  add column region text not null default '' check (region ~ '^([A-Z]{2}(-[A-Z0-9]{1,3})?)?$'),
  add column region_confirmed boolean not null default false,
  add column fee_kind text not null default 'none' check (fee_kind in ('none', 'surcharge', 'convenience')),
  add column fee_basis_points integer not null default 0 check (fee_basis_points between 0 and 10000),
  add column fee_fixed_minor bigint not null default 0 check (fee_fixed_minor >= 0),
  add column limit_per_charge_minor bigint not null default 10000000 check (limit_per_charge_minor > 0),
  add column limit_lifetime_minor bigint not null default 100000000 check (limit_lifetime_minor > 0),
  add column consent_days integer not null default 365 check (consent_days > 0);
comment on column merchant.region is 'A state or territory of the United States (CO), elsewhere ISO 3166-2 (DE-BE), or empty: not known.';
comment on column merchant.region_confirmed is 'The operator has confirmed with counsel that this region allows a surcharge.';
comment on column merchant.fee_basis_points is 'Hundredths of a percent: 300 is 3 %.';
comment on column merchant.fee_fixed_minor is 'In the record''s currency, as are the limits.';
comment on column merchant.limit_per_charge_minor is 'For consents that name no limit of their own; so are the limit for a lifetime and the days.';
