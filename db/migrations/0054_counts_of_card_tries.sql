-- Declines are counted by card, by the first digits of cards at a merchant record, and by account, so that card testing is
-- held back whichever way a card is charged. Forms count cards here too, so form_try keeps what belongs to forms alone.
-- Not worth a write-ahead log: after a crash, and on a standby that takes over, counting begins again. Locks form_try for a
-- moment for the columns and indexes that go. The version before writes those columns: stop all nodes first.
create unlogged table card_try_count (
  key_digest bytea not null,
  counted_at timestamptz not null,
  tries integer not null,
  declines integer not null,
  invalid integer not null,
  primary key (key_digest, counted_at)
);
create index card_try_count_by_age on card_try_count (counted_at);
comment on table card_try_count is 'How often a card, the cards of one issuer at a merchant record, or the cards of an account were tried and declined.';
comment on column card_try_count.key_digest is 'Keyed digest of what is counted. The card itself is not stored.';
comment on column card_try_count.counted_at is 'Real time: the beginning of the minutes that the row counts.';
comment on column card_try_count.tries is 'Approvals are counted in memory and added with the next decline.';
comment on column card_try_count.invalid is 'Of declines: because the number, the expiry or the code of the card was wrong.';

drop index form_try_of_card, form_try_of_merchant;
alter table form_try
  drop column account_id,
  drop column merchant_number,
  drop column is_invalid,
  drop column is_zero;
