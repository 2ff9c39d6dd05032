import smpp, { type Pdu, type Session } from 'smpp'
import type {
  Hearing,
  KeepPart,
  OutgoingMessage,
  Sender,
  SendOutcome,
  SentPart,
} from '#capabilities/messages/sender.ts'
import { countryOfPhone } from '#capabilities/messages/recipient.ts'
import { readDeliverSm, refOf } from '#capabilities/messages/smpp-pdu.ts'
import { partsMax, splitText } from '#capabilities/messages/split-text.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Log } from '#platform/log.ts'

type SmppOptions = {
  // smpp://system:password@host:2775, or ssmpp:// for TLS.
  readonly url: Secret
  // A phone number (+...), a short code or a name of up to eleven characters.
  readonly from: string
  readonly log: Log
  readonly answerMs?: number
  readonly enquireMs?: number
  readonly reconnectMs?: number
}

const usual = { answerMs: 30_000, enquireMs: 30_000, reconnectMs: 5_000 }

// Of SMPP 3.4, section 5.1.3.
const statusOk = 0
const statusNotBound = 0x04
const statusNotNow = 0x64
// The bind, the address we send from or the centre itself: nothing of this text.
const senderStatuses = new Set([
  statusNotBound,
  0x05,
  0x08,
  0x0a,
  0x0d,
  0x0e,
  0x0f,
  0x14,
  0x15,
  0x48,
  0x49,
  0x58,
])
const wantsReceipt = 1
const hasHeader = 0x40

// A session that is kept bound, because receipts and answers come whenever they come.
export class SmppSender implements Sender {
  readonly name = 'smpp'
  readonly #options: Required<SmppOptions>
  #session: Session | null = null
  // Not bound yet.
  #connecting: Session | null = null
  #binding: Promise<string | null> | null = null
  #hearing: Hearing | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: SmppOptions) {
    this.#options = { ...usual, ...options }
  }

  // From now on the session is kept, and what comes over it is heard.
  listen(hearing: Hearing): void {
    this.#hearing = hearing
    void this.open()
  }

  async open() {
    if (this.#session) return { isOpen: true } as const
    this.#binding ??= this.#bind().finally(() => {
      this.#binding = null
    })
    const because = await this.#binding
    return because === null ? ({ isOpen: true } as const) : ({ isOpen: false, because } as const)
  }

  // Part after part. What was taken is never sent again, even if a later part has to wait.
  async send(message: OutgoingMessage, keep: KeepPart): Promise<SendOutcome> {
    const { coding, parts: octets } = splitText(message.text, message.messageId)
    const parts: SentPart[] = []
    if (octets.length > partsMax)
      return { kind: 'refused', because: `It needs more than ${partsMax} short messages`, parts }
    for (const [at, part] of octets.entries()) {
      const number = at + 1
      if (message.partsTaken.includes(number)) continue
      const answer = await this.#submit(message.recipient, part, {
        coding,
        isJoined: octets.length > 1,
      })
      if (answer === 'not sent') return { kind: 'busy', because: 'The connection was lost', parts }
      if (answer === null || isOdd(answer)) {
        this.#drop()
        return { kind: 'unknown', because: 'No answer to submit_sm', parts }
      }
      if (answer.command_status === statusNotBound) this.#drop()
      if (answer.command_status !== statusOk) return { ...refusalOf(answer), parts }
      const taken = { number, ref: refOf(answer.message_id) }
      parts.push(taken)
      if (number < octets.length) await keep(taken)
    }
    return { kind: 'sent', hasArrived: false, parts }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connecting?.destroy()
    await this.#binding
    const session = this.#session
    this.#session = null
    if (!session) return
    await this.#ask((heard) => session.unbind({}, heard), session, 1_000)
    session.destroy()
  }

  // Answers what is wrong, if anything.
  async #bind(): Promise<string | null> {
    if (this.#isClosed) return 'The gateway is stopping'
    const { protocol, hostname, port, username, password } = new URL(this.#options.url.reveal())
    const isSecure = protocol === 'ssmpp:'
    const session = smpp.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (isSecure ? 3_550 : 2_775)),
      tls: isSecure,
    })
    this.#connecting = session
    let problem = 'The connection was closed'
    session.on('error', (error: Error) => {
      problem = error.message
      session.destroy()
    })
    session.once('close', () => this.#lose(session))
    const connected = await once(session, isSecure ? 'secureConnect' : 'connect', this.#options.answerMs)
    const members = {
      system_id: decodeURIComponent(username),
      password: decodeURIComponent(password),
      interface_version: 0x34,
    }
    const bound = connected
      ? await this.#ask((heard) => session.bind_transceiver(members, heard), session)
      : null
    this.#connecting = null
    if (bound === null || bound === 'not sent' || bound.command_status !== statusOk) {
      session.destroy()
      this.#bindLater()
      return bound === null || bound === 'not sent' ? problem : `The bind was refused (${statusText(bound)})`
    }
    this.#keep(session)
    return null
  }

  #keep(session: Session): void {
    this.#session = session
    session.on('deliver_sm', (pdu: Pdu) => void this.#hear(session, pdu))
    session.on('enquire_link', (pdu: Pdu) => session.send(pdu.response()))
    session.on('unbind', (pdu: Pdu) => {
      session.send(pdu.response())
      session.close()
    })
    this.#enquireLater(session)
  }

  // The next text begins with a new bind, which tells whether anybody is there.
  #drop(): void {
    this.#session?.destroy()
    this.#session = null
  }

  #lose(session: Session): void {
    if (this.#session === session) this.#session = null
    this.#bindLater()
  }

  // Only where somebody listens: whoever only sends binds when there is something to send.
  #bindLater(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed || !this.#hearing) return
    this.#timer = setTimeout(() => void this.open(), this.#options.reconnectMs)
    this.#timer.unref()
  }

  // A connection that has died without a word is noticed by this.
  #enquireLater(session: Session): void {
    setTimeout(() => void this.#enquire(session), this.#options.enquireMs).unref()
  }

  async #enquire(session: Session): Promise<void> {
    if (this.#session !== session) return
    const answer = await this.#ask((heard) => session.enquire_link({}, heard), session)
    if (answer === null || answer === 'not sent') session.destroy()
    else this.#enquireLater(session)
  }

  #submit(
    recipient: string,
    octets: Buffer,
    { coding, isJoined }: { readonly coding: number; readonly isJoined: boolean },
  ): Promise<Pdu | 'not sent' | null> {
    const session = this.#session
    if (!session) return Promise.resolve('not sent')
    const members = {
      ...senderAddress(this.#options.from),
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: recipient.replace(/^\+/, ''),
      esm_class: isJoined ? hasHeader : 0,
      registered_delivery: wantsReceipt,
      data_coding: coding,
      short_message: octets,
    }
    return this.#ask((heard) => session.submit_sm(members, heard), session)
  }

  // Null when no answer came; the connection may have gone before or after the other side read it.
  #ask(
    say: (heard: (answer: Pdu) => void) => boolean,
    session: Session,
    patienceMs = this.#options.answerMs,
  ): Promise<Pdu | 'not sent' | null> {
    return new Promise((resolve) => {
      const end = (answer: Pdu | 'not sent' | null): void => {
        clearTimeout(waiting)
        session.off('close', lost)
        resolve(answer)
      }
      const lost = (): void => end(null)
      const waiting = setTimeout(lost, patienceMs)
      session.once('close', lost)
      if (!say(end)) end('not sent')
    })
  }

  // Answered only after it is kept, so that the other side tries again what we could not keep.
  async #hear(session: Session, pdu: Pdu): Promise<void> {
    try {
      await this.#take(pdu)
      session.send(pdu.response())
    } catch (error) {
      this.#options.log.warn({ err: error }, 'What a short message centre told could not be kept')
      session.send(pdu.response({ command_status: statusNotNow }))
    }
  }

  async #take(pdu: Pdu): Promise<void> {
    const heard = readDeliverSm(pdu)
    if (heard.kind === 'receipt') await this.#hearing?.onReceipt({ sender: this.name, ...heard.receipt })
    if (heard.kind === 'text')
      await this.#hearing?.onText({
        sender: this.name,
        ref: '',
        isAnswered: false,
        // The centre is where our number is.
        country: countryOfPhone(this.#options.from) || 'US',
        ...heard.text,
      })
  }
}

function once(session: Session, event: string, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const waiting = setTimeout(() => resolve(false), patienceMs)
    const end = (isConnected: boolean) => (): void => {
      clearTimeout(waiting)
      resolve(isConnected)
    }
    session.once(event, end(true))
    session.once('close', end(false))
  })
}

// Under the number of our question, but about another one: nobody knows what became of ours.
function isOdd({ command, command_status: status }: Pdu): boolean {
  return status === statusOk && command !== 'submit_sm_resp'
}

function refusalOf(answer: Pdu) {
  const because = `The text was refused (${statusText(answer)})`
  return { kind: senderStatuses.has(answer.command_status) ? 'busy' : 'refused', because } as const
}

function statusText({ command_status: status }: Pdu): string {
  return `status 0x${status.toString(16).padStart(8, '0')}`
}

// Numbers are international, short codes are the network's own, names are names.
function senderAddress(from: string) {
  if (/^\+\d+$/.test(from)) return { source_addr_ton: 1, source_addr_npi: 1, source_addr: from.slice(1) }
  if (/^\d{3,8}$/.test(from)) return { source_addr_ton: 3, source_addr_npi: 0, source_addr: from }
  return { source_addr_ton: 5, source_addr_npi: 0, source_addr: from }
}
