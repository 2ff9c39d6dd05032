-- Consents whose end comes near are told of once.
-- Locks consent for a moment: the column needs no rewrite, and the index reads the table once.

alter table consent add column is_end_told boolean not null default false;
create index consent_ending on consent (ends_on, account_id) where state = 'active' and not is_end_told;
comment on column consent.is_end_told is 'Whether the event that its end is near was written. False again when its end is moved.';
