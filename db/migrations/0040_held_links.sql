-- A link whose time ended while its payer was with the payer's bank charged nothing, though the bank had confirmed
-- who pays: the form of the link stayed open for the ten minutes that the check may last, the link did not. It
-- remembers now until when. A node of the version before holds nothing. Adds a column without a value, so it holds
-- link for a moment.
alter table link add column held_until timestamptz;
comment on column link.held_until is 'Until when a payer may come back from the payer''s bank, also past expires_at. Nothing new is begun by it.';
