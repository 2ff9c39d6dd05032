import { once } from 'node:events'
import assert from 'node:assert/strict'
import smpp, { type Pdu, type Session } from 'smpp'
import { Secret } from '#kernel/secret.ts'

export type ReceivedPart = {
  readonly to: string
  readonly coding: number
  // Of the header that joins parts; null for a text that is alone.
  readonly joined: { readonly id: number; readonly count: number; readonly number: number } | null
  // As the package's own decoder reads it.
  readonly text: string
  readonly ref: string
}

// Whoever says when it is over: a test, or a whole file.
type Lasting = { after(work: () => Promise<void>): void }

type Verdict = (part: ReceivedPart) => number | 'silence' | 'hang up'

export type ShortMessageCentre = {
  readonly url: Secret
  readonly parts: readonly ReceivedPart[]
  // What the phones show, in the order of arrival.
  texts(): readonly { readonly to: string; readonly text: string }[]
  // Tells the gateway something, and answers the status of its answer.
  tell(members: object): Promise<number>
  isBound(): boolean
  down(): Promise<void>
  up(): Promise<void>
}

// A real peer over SMPP 3.4 that keeps what it is sent and joins it as a phone does.
export async function openShortMessageCentre(
  t: Lasting,
  verdict: Verdict = () => 0,
): Promise<ShortMessageCentre> {
  const parts: ReceivedPart[] = []
  const bound = new Set<Session>()
  let server = smpp.createServer((session) => serve(session, { parts, bound, verdict }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert(typeof address === 'object' && address)
  const { port } = address
  const down = async (): Promise<void> => {
    for (const session of server.sessions) session.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  t.after(down)
  return {
    url: new Secret(`smpp://tillgate:secret@127.0.0.1:${port}`),
    parts,
    texts: () => joinParts(parts),
    tell: (members) => {
      const [session] = bound
      if (!session) throw new Error('Nobody is bound')
      return new Promise((resolve) => session.deliver_sm(members, (answer) => resolve(answer.command_status)))
    },
    isBound: () => bound.size > 0,
    down,
    up: async () => {
      server = smpp.createServer((session) => serve(session, { parts, bound, verdict }))
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}

type Desk = { readonly parts: ReceivedPart[]; readonly bound: Set<Session>; readonly verdict: Verdict }

const wrongPassword = 0x0e

function serve(session: Session, { parts, bound, verdict }: Desk): void {
  session.on('error', () => session.destroy())
  session.on('close', () => bound.delete(session))
  session.on('bind_transceiver', (pdu: Pdu) => {
    if (pdu.password !== 'secret') return session.send(pdu.response({ command_status: wrongPassword }))
    bound.add(session)
    return session.send(pdu.response({ system_id: 'centre' }))
  })
  session.on('enquire_link', (pdu: Pdu) => session.send(pdu.response()))
  session.on('unbind', (pdu: Pdu) => session.send(pdu.response()))
  session.on('submit_sm', (pdu: Pdu) => {
    const part = { ...readPart(pdu), ref: `ref-${parts.length + 1}` }
    const said = verdict(part)
    if (said === 'hang up') return session.destroy()
    if (said === 'silence') return parts.push(part)
    if (said !== 0) return session.send(pdu.response({ command_status: said }))
    parts.push(part)
    return session.send(pdu.response({ message_id: part.ref }))
  })
}

function readPart(pdu: Pdu): Omit<ReceivedPart, 'ref'> {
  const coding = pdu.data_coding ?? -1
  const { message, udh } = pdu.short_message ?? {}
  const [kind, , id = -1, count = -1, number = -1] = udh?.[0] ?? []
  const joined = kind === 0 ? { id, count, number } : null
  return { to: `+${pdu.destination_addr ?? ''}`, coding, joined, text: String(message ?? '') }
}

function joinParts(parts: readonly ReceivedPart[]): readonly { to: string; text: string }[] {
  const groups = Map.groupBy(parts, (part) => (part.joined ? `${part.to} ${part.joined.id}` : part.ref))
  return [...groups.values()].map((group) => {
    const sorted = group.toSorted((a, b) => (a.joined?.number ?? 0) - (b.joined?.number ?? 0))
    return { to: group[0]?.to ?? '', text: sorted.map(({ text }) => text).join('') }
  })
}
