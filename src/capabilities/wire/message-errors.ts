import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// Texts and e-mails.
export const messageErrors = {
  invalid_phone: {
    code: 6651,
    severity: 'LOW',
    text: 'The phone number {problem}',
    cause:
      'Unless it begins with + it was read as a number of the country of the merchant record (--region).',
    remedy: 'Send a number that a phone can have, such as +12125550123.',
    sample: { problem: 'in Msg.Person.Phone is too short' },
  },
  invalid_email: {
    code: 6652,
    severity: 'LOW',
    text: 'The e-mail address {problem}',
    cause:
      'The message goes by e-mail, and this address is missing or one to which nothing can be sent. ' +
      'What is no address at all, or more than one, is 4003.',
    remedy: 'Send an address such as ada@example.com.',
    sample: { problem: 'in Msg.Person.Email is not written correctly behind the @' },
  },
  recipient_stopped: {
    code: 6653,
    severity: 'LOW',
    text: '{recipient} has asked for no more texts',
    cause: 'Somebody answered STOP from that phone.',
    remedy: 'Send an e-mail, or ask the owner of the phone to answer START.',
    sample: { recipient: '+12125550123' },
  },
  country_not_allowed: {
    code: 6654,
    severity: 'LOW',
    text: 'Texts to {country} are not allowed; allowed are {allowed}',
    cause:
      'Texts go to the country of the merchant record (--region), the United States and Canada, unless the ' +
      'operator says otherwise.',
    remedy: 'Send an e-mail, or ask the operator: tillgate message limits.',
    sample: { country: 'JM', allowed: 'US, CA' },
  },
  too_many_messages: {
    code: 6655,
    severity: 'MEDIUM',
    text: 'This account sends at most {limit} messages {span}',
    cause: 'The limit keeps others from sending through a stolen token.',
    remedy: 'Wait, or ask the operator: tillgate message limits.',
    sample: { limit: 200, span: 'an hour' },
  },
  too_many_to_recipient: {
    code: 6656,
    severity: 'LOW',
    text: '{recipient} is sent at most {limit} messages {span}',
    cause: 'The limit keeps phones and mailboxes from being flooded.',
    remedy: 'Wait, or ask the operator: tillgate message limits.',
    sample: { recipient: '+12125550123', limit: 3, span: 'an hour' },
  },
} as const satisfies Record<string, ErrorEntry>
