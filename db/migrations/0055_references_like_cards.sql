-- References of requests may not hold card numbers. Those of a few merchants look like card numbers, and an operator records why. The
-- column holds merchant for a moment. A node of the version before refuses no references.

alter table merchant add column card_like_references_reason text not null default '';
comment on column merchant.card_like_references_reason is 'Why references of requests may hold what looks like a card number, in the operator''s words; empty: they may not.';
