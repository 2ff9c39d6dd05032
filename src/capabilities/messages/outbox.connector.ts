import type { Sender } from '#capabilities/messages/sender.ts'

// The sandbox's own: nothing leaves the house. Whoever wants to see a message opens /sandbox/outbox.
export const outboxSender: Sender = {
  name: 'outbox',
  open: async () => ({ isOpen: true }),
  send: async () => ({ kind: 'sent', hasArrived: true, parts: [] }),
  close: async () => undefined,
}

// Where a live gateway was given no sender: messages wait until it is.
export function noSender(setting: string): Sender {
  return {
    name: 'none',
    open: async () => ({ isOpen: false, because: `No sender is set up: ${setting}` }),
    send: async () => ({ kind: 'busy', because: `No sender is set up: ${setting}`, parts: [] }),
    close: async () => undefined,
  }
}
