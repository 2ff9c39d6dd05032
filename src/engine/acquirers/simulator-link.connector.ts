import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Acquirer, DisputeLine, ReportLine } from '#engine/acquirers/acquirer.ts'
import { type Heard, readDisputed, readReported } from '#engine/acquirers/simulator-reply.ts'
import { acquirerOver } from '#engine/acquirers/simulator.connector.ts'
import type { BankRequest } from '../../../simulator/bank-request.ts'
import {
  type BankAddress,
  parseDisputedLine,
  parseReply,
  parseReportedLine,
  printLine,
  printRequest,
} from '../../../simulator/link-protocol.ts'

const answerLengthMax = 64_000

// The bank in a process of its own. Every question has a connection of its own, so that it is always known
// whether a byte has left.
export function simulatorLinkAcquirer({ address }: { readonly address: BankAddress }): Acquirer {
  return {
    ...acquirerOver('simulator-link', (request, signal) => askOverLink(address, request, signal)),
    report: (from, to) => reportOverLink(address, { from, to }),
    disputes: (from, to) => disputesOverLink(address, { from, to }),
  }
}

async function askOverLink(address: BankAddress, request: BankRequest, signal: AbortSignal): Promise<Heard> {
  if (signal.aborted) return { kind: 'not_sent' }
  const socket = connect(address)
  try {
    return await hearOn(socket, { request, signal })
  } finally {
    socket.destroy()
  }
}

type Asking = { readonly request: BankRequest; readonly signal: AbortSignal }

function hearOn(socket: Socket, { request, signal }: Asking): Promise<Heard> {
  let isSent = false
  let received = ''
  return new Promise((resolve) => {
    const fail = (because: 'timeout' | 'link_down'): void =>
      resolve(isSent ? { kind: 'unknown', because } : { kind: 'not_sent' })
    const giveUp = (): void => fail('timeout')
    const lose = (): void => {
      // Half an answer is none.
      if (received === '') fail('link_down')
      else resolve({ kind: 'unknown', because: 'garbled' })
    }
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', giveUp))
    socket.setEncoding('utf8')
    socket.once('connect', () => {
      // Whoever gave up while the line was built sends nothing.
      if (signal.aborted) return
      isSent = true
      socket.write(printRequest(request))
    })
    socket.on('data', (text: string) => {
      received += text
      const end = received.indexOf('\n')
      if (end >= 0) resolve({ kind: 'reply', reply: parseReply(received.slice(0, end)) })
      else if (received.length > answerLengthMax) resolve({ kind: 'unknown', because: 'garbled' })
    })
    socket.on('error', lose)
    socket.on('end', lose)
    socket.on('close', lose)
  })
}

type Period = { readonly from: Temporal.Instant; readonly to: Temporal.Instant }

async function* reportOverLink(address: BankAddress, period: Period): AsyncIterable<ReportLine> {
  for await (const line of linesOverLink(address, { verb: 'report', ...period })) {
    const reported = parseReportedLine(line)
    if ('end' in reported) return
    const { ref, kind, reply, at, reversedAt, batchRef } = reported
    const isReversed = reversedAt !== null
    yield* readReported({ ref, kind, reply, isReversed, batchRef, at: Temporal.Instant.from(at) })
  }
}

async function* disputesOverLink(address: BankAddress, period: Period): AsyncIterable<DisputeLine> {
  for await (const line of linesOverLink(address, { verb: 'disputes', ...period })) {
    const disputed = parseDisputedLine(line)
    if ('end' in disputed) return
    yield* readDisputed(disputed)
  }
}

// Lines until the reader has seen the last. What breaks off before throws: half must not pass for the whole.
async function* linesOverLink(address: BankAddress, asked: Period & { verb: string }): AsyncIterable<string> {
  const socket = connect(address)
  socket.on('error', () => socket.destroy())
  try {
    socket.write(printLine(asked))
    yield* createInterface({ input: socket })
    throw new Error("The bank's report broke off")
  } finally {
    socket.destroy()
  }
}
