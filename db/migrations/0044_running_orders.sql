-- A charge of an international order had nothing that Intl/QueryTransaction could show until its outcome was known, up to
-- 25 seconds later: whoever had hung up and looked for it charged again. It is found by the order now. Holds card_order,
-- against writers alone, while its rows are read, a second for some millions. An order leaves this index with its first move,
-- and every move of one writes its other indexes already.
create index card_order_charging on card_order (account_id) where state = 'charging';
