import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'

// Stands in a stored message for the address of its link, whose code is stored nowhere.
export const linkMark = '||PayLink||'

type Marked = { readonly linkId: bigint | null; readonly text: string; readonly html: string | null }

// The message as it is sent and shown.
export function withLink<Message extends Marked>(
  { linkAddressOf }: Pick<MessageNeeds, 'linkAddressOf'>,
  message: Message,
): Message {
  const { linkId, text, html } = message
  if (linkId === null) return message
  const address = linkAddressOf(linkId)
  return {
    ...message,
    text: text.replaceAll(linkMark, address),
    html: html === null ? null : html.replaceAll(linkMark, address),
  }
}
