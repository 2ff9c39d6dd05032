-- An order of an international record may keep a card without charging it: then its amount is 0.
-- The table is locked while it is read once.

alter table card_order
  drop constraint card_order_amount_minor_check,
  add constraint card_order_amount_minor_check check (amount_minor >= 0);

comment on column card_order.amount_minor is '0 where the card is kept and not charged.';
