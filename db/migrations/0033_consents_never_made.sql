-- A consent whose card the issuer declined was kept as cancelled, and whoever named its number was told so. It
-- was never made, which has a word of its own now. The rows that change are charged by nobody. Only the last
-- look at all consents keeps charges of stored cards waiting: about a fifth of a second for a million.
alter domain consent_state drop constraint consent_state_check;
alter domain consent_state add constraint consent_state_check
  check (value in ('pending', 'active', 'cancelled', 'not_made')) not valid;

-- Of what was given up before anybody was asked, nothing tells any more whether it was made without asking.
update consent c set state = 'not_made'
from attempt a
where c.state = 'cancelled' and a.acquirer_ref = c.creation_ref and a.account_id = c.account_id
  and a.state in ('declined', 'not_sent', 'reversed', 'refused');

alter domain consent_state validate constraint consent_state_check;
comment on column consent.state is 'pending: the issuer has not yet said whether the card is good. not_made: it was not, or nobody was asked; the row stays for its attempt and is shown to nobody.';
