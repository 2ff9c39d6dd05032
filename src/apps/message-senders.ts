import type { Context } from '#capabilities/context.ts'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import type { MessageNeeds, Senders } from '#capabilities/messages/message-needs.ts'
import { noSender, outboxSender } from '#capabilities/messages/outbox.connector.ts'
import type { Sender } from '#capabilities/messages/sender.ts'
import { textApiSender } from '#capabilities/messages/text-api.connector.ts'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/log.ts'
import type { SendRequest } from '#platform/outbound/send-request.ts'

type Parts = {
  readonly config: Config
  readonly log: Log
  readonly sendRequest: SendRequest
  readonly publicAddress: { readonly url: string }
}

// The code of connectors with a protocol of their own is read only where they are chosen: every start and
// every command would wait for it otherwise.
export async function messageSenders(parts: Parts): Promise<Pick<MessageNeeds, 'senders' | 'textApiToken'>> {
  const { textSender, textApiToken } = parts.config
  return {
    senders: { email: await mailSenderFrom(parts), text: await textSenderFrom(parts) },
    textApiToken: textSender === 'api' ? textApiToken : null,
  }
}

async function mailSenderFrom({ config: { mode, mailSender, smtpUrl, mailFrom } }: Parts): Promise<Sender> {
  if (mailSender === 'smtp') {
    const { smtpSender } = await import('#capabilities/messages/smtp.connector.ts')
    return smtpSender({ url: smtpUrl, fromAddress: mailFrom })
  }
  return mode === 'sandbox' ? outboxSender : noSender('TILLGATE_MAIL_SENDER')
}

async function textSenderFrom({ config, log, sendRequest, publicAddress }: Parts): Promise<Sender> {
  const { mode, textSender, textFrom: from, smppUrl, textApiUrl, textApiAccount, textApiToken } = config
  if (textSender === 'smpp') {
    const { SmppSender } = await import('#capabilities/messages/smpp.connector.ts')
    return new SmppSender({ url: smppUrl, from, log })
  }
  if (textSender === 'api') {
    const account = textApiAccount
    return textApiSender({ url: textApiUrl, account, token: textApiToken, from, sendRequest, publicAddress })
  }
  return mode === 'sandbox' ? outboxSender : noSender('TILLGATE_TEXT_SENDER')
}

// What senders hear is kept from now on, until the answered function ends it.
export function listenToSenders(context: Context): () => Promise<void> {
  const { senders } = context
  senders.text.listen?.(hearingOf(context))
  return () => closeSenders(senders)
}

async function closeSenders({ text, email }: Senders): Promise<void> {
  await Promise.all([text.close(), email.close()])
}
