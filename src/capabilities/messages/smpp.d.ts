// The part of the smpp package that we use; it comes without types.
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server as NetServer } from 'node:net'

  export type Pdu = {
    readonly command: string
    readonly command_status: number
    readonly sequence_number: number
    readonly message_id?: string
    readonly system_id?: string
    readonly password?: string
    readonly esm_class?: number
    readonly data_coding?: number
    readonly source_addr?: string
    readonly source_addr_ton?: number
    readonly destination_addr?: string
    readonly registered_delivery?: number
    readonly short_message?: DecodedMessage
    readonly message_payload?: DecodedMessage
    readonly receipted_message_id?: string
    readonly message_state?: number
    response(members?: object): Pdu
  }

  // Text as far as the package knows its alphabet, octets otherwise; the headers apart.
  export type DecodedMessage = { readonly message?: string | Buffer; readonly udh?: readonly Buffer[] }

  type OnAnswer = (answer: Pdu) => void

  export type Session = EventEmitter & {
    send(pdu: Pdu): boolean
    bind_transceiver(members: object, onAnswer: OnAnswer): boolean
    submit_sm(members: object, onAnswer: OnAnswer): boolean
    deliver_sm(members: object, onAnswer: OnAnswer): boolean
    enquire_link(members: object, onAnswer: OnAnswer): boolean
    unbind(members: object, onAnswer: OnAnswer): boolean
    close(onClosed?: () => void): void
    destroy(onClosed?: () => void): void
  }

  type ConnectOptions = { readonly host: string; readonly port: number; readonly tls: boolean }

  const smpp: {
    connect(options: ConnectOptions): Session
    createServer(onSession: (session: Session) => void): NetServer & { readonly sessions: Session[] }
    readonly encodings: Readonly<Record<string, { decode(octets: Buffer): string }>>
  }
  export default smpp
}
