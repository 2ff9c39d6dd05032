import { Secret } from '#kernel/secret.ts'
import { anyText, httpAddress, oneOf, secretSetting, setting } from '#platform/setting.ts'

// How texts and e-mails leave the house.

const addressOf =
  (protocols: readonly string[], sample: string) =>
  (text: string): Secret | { readonly expected: string } => {
    if (text === '') return new Secret('')
    const url = URL.parse(text)
    if (url === null || !protocols.includes(url.protocol) || url.hostname === '')
      return { expected: `an address such as ${sample}` }
    return isEncoded(url.username) && isEncoded(url.password)
      ? new Secret(text)
      : { expected: 'an address in which a % of the user or password is written as %25' }
  }

function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

const mailAddress = (text: string): string | { readonly expected: string } =>
  text === '' || /^[\w.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
    ? text
    : { expected: 'a bare address such as payments@example.com' }

const textOrigin = (text: string): string | { readonly expected: string } =>
  text === '' || /^(\+\d{5,15}|\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/.test(text)
    ? text
    : { expected: 'a phone number such as +12125550100, a short code, or a name of up to 11 letters' }

export const messageSettings = {
  mailSender: setting(
    'TILLGATE_MAIL_SENDER',
    'outbox',
    'Who sends e-mails: `smtp`, or `outbox`, which sends nothing and shows them at `/sandbox/outbox`.',
    oneOf('outbox', 'smtp'),
  ),
  mailFrom: setting(
    'TILLGATE_MAIL_FROM',
    '',
    'The address that e-mails come from; the name beside it is that of the merchant record.',
    mailAddress,
  ),
  smtpUrl: secretSetting(
    'TILLGATE_SMTP_URL',
    'The mail server: `smtp://user:password@host:587`, which insists on STARTTLS when there is a password, or `smtps://` for TLS from the start.',
    addressOf(['smtp:', 'smtps:'], 'smtp://user:password@mail.example.com:587'),
  ),
  textSender: setting(
    'TILLGATE_TEXT_SENDER',
    'outbox',
    'Who sends texts: `smpp` for a short message centre, `api` for a provider in the shape of Twilio, or `outbox`, which sends nothing and shows them at `/sandbox/outbox`.',
    oneOf('outbox', 'smpp', 'api'),
  ),
  textFrom: setting(
    'TILLGATE_TEXT_FROM',
    '',
    'What texts come from: a phone number, a short code, a name, or the id of a messaging service.',
    textOrigin,
  ),
  smppUrl: secretSetting(
    'TILLGATE_SMPP_URL',
    'The short message centre: `smpp://system:password@host:2775`, or `ssmpp://` for TLS.',
    addressOf(['smpp:', 'ssmpp:'], 'smpp://system:password@smsc.example.com:2775'),
  ),
  textApiUrl: setting(
    'TILLGATE_TEXT_API_URL',
    'https://api.twilio.com',
    'The provider of texts that is asked over HTTP.',
    httpAddress,
  ),
  textApiAccount: setting('TILLGATE_TEXT_API_ACCOUNT', '', 'The account at that provider.', anyText),
  textApiToken: secretSetting(
    'TILLGATE_TEXT_API_TOKEN',
    'Its token, which also signs what the provider tells us.',
    (text: string): Secret => new Secret(text),
  ),
} as const

type SenderChoice = {
  readonly mailSender: 'outbox' | 'smtp'
  readonly mailFrom: string
  readonly smtpUrl: Secret
  readonly textSender: 'outbox' | 'smpp' | 'api'
  readonly textFrom: string
  readonly smppUrl: Secret
  readonly textApiAccount: string
  readonly textApiToken: Secret
}

// A sender that was chosen needs the rest of its settings.
export function problemsOfSenders(choice: SenderChoice): readonly string[] {
  const needed: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    smtp: [
      ['TILLGATE_SMTP_URL', choice.smtpUrl.reveal()],
      ['TILLGATE_MAIL_FROM', choice.mailFrom],
    ],
    smpp: [
      ['TILLGATE_SMPP_URL', choice.smppUrl.reveal()],
      ['TILLGATE_TEXT_FROM', choice.textFrom],
    ],
    api: [
      ['TILLGATE_TEXT_API_ACCOUNT', choice.textApiAccount],
      ['TILLGATE_TEXT_API_TOKEN', choice.textApiToken.reveal()],
      ['TILLGATE_TEXT_FROM', choice.textFrom],
    ],
  }
  return [choice.mailSender, choice.textSender].flatMap((sender) =>
    (needed[sender] ?? [])
      .filter(([, value]) => value === '')
      .map(([name]) => `${name} is missing; the sender ${sender} needs it`),
  )
}

// What was set for a sender that was not chosen: nothing leaves by it, and nothing else would tell.
export function unusedSenderSettings(choice: SenderChoice): readonly string[] {
  const { mailSender, smtpUrl, textSender, smppUrl, textApiToken } = choice
  const isIdle = (sender: string, secret: Secret) =>
    mailSender !== sender && textSender !== sender && secret.reveal() !== ''
  return [
    ...(isIdle('smtp', smtpUrl) ? ['TILLGATE_SMTP_URL is set, but TILLGATE_MAIL_SENDER is not smtp'] : []),
    ...(isIdle('smpp', smppUrl) ? ['TILLGATE_SMPP_URL is set, but TILLGATE_TEXT_SENDER is not smpp'] : []),
    ...(isIdle('api', textApiToken)
      ? ['TILLGATE_TEXT_API_TOKEN is set, but TILLGATE_TEXT_SENDER is not api']
      : []),
  ]
}
