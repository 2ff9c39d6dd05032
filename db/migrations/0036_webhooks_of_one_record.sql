-- A token for one merchant record got around its limit by a webhook, which was told of every record of the account. An endpoint
-- keeps now whose events it is told, and the same address may be registered for several records, each with its own secret.
-- Holds webhook_endpoint while its few rows are read and indexed, and with them what waits for endpoints that change, and
-- merchant against changes for a moment; charges go on.
-- A node of the version before can add no webhook any more (500), and where it hands out events, tells every endpoint all.
alter table webhook_endpoint add column merchant_number integer;
alter table webhook_endpoint add foreign key (account_id, merchant_number) references merchant;
comment on column webhook_endpoint.merchant_number is 'The only merchant record whose events are told; null for all of the account.';

-- Who added an endpoint is known: a user of the interface by the number, an operator by name.
update webhook_endpoint e set merchant_number = u.merchant_number
from api_user u
where u.account_id = e.account_id and u.api_user_id::text = e.created_by and u.merchant_number is not null;

-- What waits for them and is not of their record is not sent any more.
update webhook_delivery d set
  state = 'dead', problem = 'It is not of the merchant record', claimed_until = null, finished_at = clock_timestamp()
from webhook_endpoint e
where e.merchant_number is not null and d.lane = 'endpoint:' || e.endpoint_id and d.state = 'waiting'
  and not exists (
    select from event v
    where v.account_id = d.account_id and v.event_id = d.event_id and v.body ->> 'merchant' = e.merchant_number::text);

drop index webhook_endpoint_active;
create unique index webhook_endpoint_active on webhook_endpoint (account_id, coalesce(merchant_number, 0), url)
  where state = 'active';
