import { createServer, type Server, type Socket } from 'node:net'
import type { Bank, Line } from './bank.ts'
import { disputesIn } from './dispute.ts'
import { type BankAddress, type Control, type LinkRequest, parseRequest, printLine } from './link-protocol.ts'

export type BankServer = { readonly address: BankAddress; close(): Promise<void> }

type ServerOptions = { readonly address: BankAddress; readonly onStop: () => void }

// A batch of 100,000 is one line.
const lineLengthMax = 64_000_000

// Serves a bank on a socket: lines of JSON, any number per connection.
export async function serveBank(bank: Bank, { address, onStop }: ServerOptions): Promise<BankServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Whoever asked is gone; what it asked for is decided all the same.
    socket.on('error', () => socket.destroy())
    readLines(socket, (line) => void handle(bank, { line, socket, onStop }))
  })
  await listen(server, address)
  return {
    address: addressOf(server, address),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function readLines(socket: Socket, onLine: (line: string) => void): void {
  let pending = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const lines = `${pending}${text}`.split('\n')
    pending = lines.pop() ?? ''
    if (pending.length > lineLengthMax) socket.destroy()
    lines.forEach(onLine)
  })
}

type Handling = { readonly line: string; readonly socket: Socket; readonly onStop: () => void }

async function handle(bank: Bank, { line, socket, onStop }: Handling): Promise<void> {
  const request = parseRequest(line)
  if (!request) return void socket.destroy()
  if (request.verb === 'control') return control(bank, request, { socket, onStop })
  if (request.verb === 'report') return report(bank, request, socket)
  if (request.verb === 'disputes') return disputes(bank, request, socket)
  await bank.receive(request, lineTo(socket))
}

function lineTo(socket: Socket): Line {
  return {
    // Nonsense goes out as it is, without the end of its line, and is the last that is heard.
    say: (reply) => void (typeof reply === 'string' ? socket.end(reply) : socket.write(printLine(reply))),
    hangUp: () => socket.destroySoon(),
  }
}

type ReportRequest = Extract<LinkRequest, { readonly verb: 'report' }>

async function report(bank: Bank, { from, to }: ReportRequest, socket: Socket): Promise<void> {
  try {
    const period = [Temporal.Instant.from(from), Temporal.Instant.from(to)] as const
    for await (const { ref, kind, reply, at, reversedAt, batchRef } of bank.log.report(...period)) {
      socket.write(printLine({ ref, kind, reply, at, reversedAt, batchRef }))
    }
    socket.write(printLine({ end: true }))
  } catch {
    socket.destroy()
  }
}

type DisputesRequest = Extract<LinkRequest, { readonly verb: 'disputes' }>

async function disputes(bank: Bank, { from, to }: DisputesRequest, socket: Socket): Promise<void> {
  try {
    const period = { from: Temporal.Instant.from(from), to: Temporal.Instant.from(to) }
    for await (const dispute of disputesIn(bank.log, period)) socket.write(printLine(dispute))
    socket.write(printLine({ end: true }))
  } catch {
    socket.destroy()
  }
}

async function control(
  bank: Bank,
  asked: Control,
  { socket, onStop }: Pick<Handling, 'socket' | 'onStop'>,
): Promise<void> {
  const answer = (value: unknown): void => void socket.write(printLine(value))
  switch (asked.do) {
    case 'fault':
      bank.faults.add(asked.rule)
      return answer({ done: true })
    case 'chaos':
      bank.faults.setChaos(asked.chaos)
      return answer({ done: true })
    case 'clear':
      bank.faults.clear()
      return answer({ done: true })
    case 'log':
      return answer({ rows: await bank.log.read(asked.query) })
    case 'stop':
      answer({ done: true })
      return onStop()
  }
}

async function listen(server: Server, address: BankAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => resolve())
  })
}

// A port of 0 takes a free one.
function addressOf(server: Server, address: BankAddress): BankAddress {
  const bound = server.address()
  return 'host' in address && bound !== null && typeof bound === 'object'
    ? { host: address.host, port: bound.port }
    : address
}
