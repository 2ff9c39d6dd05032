import type { Context } from '#capabilities/context.ts'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import type { MessageNeeds, Senders } from '#capabilities/messages/message-needs.ts'
import { noSender, outboxSender } from '#capabilities/messages/outbox.connector.ts'
import type { Sender } from '#capabilities/messages/sender.ts'
import { SmppSender } from '#capabilities/messages/smpp.connector.ts'
import { smtpSender } from '#capabilities/messages/smtp.connector.ts'
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

export function messageSenders(parts: Parts): Pick<MessageNeeds, 'senders' | 'textApiToken'> {
  const { textSender, textApiToken } = parts.config
  return {
    senders: { email: mailSenderFrom(parts), text: textSenderFrom(parts) },
    textApiToken: textSender === 'api' ? textApiToken : null,
  }
}

function mailSenderFrom({ config: { mode, mailSender, smtpUrl, mailFrom } }: Parts): Sender {
  if (mailSender === 'smtp') return smtpSender({ url: smtpUrl, fromAddress: mailFrom })
  return mode === 'sandbox' ? outboxSender : noSender('TILLGATE_MAIL_SENDER')
}

function textSenderFrom({ config, log, sendRequest, publicAddress }: Parts): Sender {
  const { mode, textSender, textFrom: from, smppUrl, textApiUrl, textApiAccount, textApiToken } = config
  if (textSender === 'smpp') return new SmppSender({ url: smppUrl, from, log })
  if (textSender === 'api') {
    const account = textApiAccount
    return textApiSender({ url: textApiUrl, account, token: textApiToken, from, sendRequest, publicAddress })
  }
  return mode === 'sandbox' ? outboxSender : noSender('TILLGATE_TEXT_SENDER')
}

// What senders hear is kept from now on, until the answered function ends it.
export function listenToSenders(context: Context): () => Promise<void> {
  const { senders } = context
  if (senders.text instanceof SmppSender) senders.text.listen(hearingOf(context))
  return () => closeSenders(senders)
}

async function closeSenders({ text, email }: Senders): Promise<void> {
  await Promise.all([text.close(), email.close()])
}
