import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Parse } from 'typebox/value'
import { type Answer, AnswerReader, errorCodeOf, transactionOf } from './charge-answer.ts'
import { ChargeOrder, type ChargeTally, hotMinor } from './charge-order.ts'
import { ChargeRequest } from './charge-request.ts'
import { endWithParent, tellParent } from './child.ts'
import { Dice } from './dice.ts'
import { quantile } from './statistics.ts'

// The load process for charges. It shares the machine with what it measures, so it does as little as it can:
// bare sockets, one request under way on each, and still every answer judged.

type Kind = 'ordinary' | 'decline' | 'hot' | 'repeat'

// What comes is read into one buffer that all connections share: there is no stream between, and whoever
// hears it keeps nothing of it.
type Connection = { readonly socket: Socket; hear: (chunk: Buffer) => void }

type Line = {
  readonly socket: Socket
  readonly request: ChargeRequest
  readonly reader: AnswerReader
  kind: Kind
  baseMinor: number
  dueAt: number
  // The transaction of the last ordinary charge, which a repeat of its key must name again.
  transaction: string
}

// An amount of the sandbox that every issuer declines.
const declinedMinor = 990_005
const overLifetimeLimit = 6105
const turnedAway = 9001
// Whoever is turned away comes back a little later, as the answer asks for.
const comeBackAfterMs = 100
const paceTickMs = 2

class Run {
  readonly #order: ChargeOrder
  readonly #dice = new Dice(process.pid)
  readonly #ms: number[] = []
  readonly #idle: Line[] = []
  readonly #done = Promise.withResolvers<void>()
  readonly #beganAt = performance.now()
  readonly #endAt: number
  #sent = 0
  #underWay = 0
  #tally = {
    answersInTime: 0,
    approved: 0,
    approvedMinor: 0,
    declined: 0,
    hotApproved: 0,
    hotRefused: 0,
    repeated: 0,
    turnedAway: 0,
    wrong: 0,
    example: '',
  }

  constructor(order: ChargeOrder) {
    this.#order = order
    this.#endAt = this.#beganAt + order.seconds * 1_000
  }

  async carryOut(connections: readonly Connection[]): Promise<ChargeTally> {
    const lines = connections.map((connection) => this.#lineOn(connection))
    const pace = this.#order.perSecond === null ? null : setInterval(() => this.#sendDue(), paceTickMs)
    if (pace) this.#idle.push(...lines)
    else for (const line of lines) this.#send(line)
    await this.#done.promise
    if (pace) clearInterval(pace)
    // Nothing may have come in time, and then there is nothing to tell.
    if (this.#ms.length === 0) this.#ms.push(0)
    return { ...this.#tally, p50Ms: quantile(this.#ms, 0.5), p99Ms: quantile(this.#ms, 0.99) }
  }

  #lineOn(connection: Connection): Line {
    const { socket } = connection
    const line: Line = {
      socket,
      request: new ChargeRequest(this.#order),
      reader: new AnswerReader(),
      kind: 'ordinary',
      baseMinor: 0,
      dueAt: 0,
      transaction: '',
    }
    connection.hear = (chunk) => this.#hear(line, chunk)
    socket.on('close', () => this.#finish('the gateway closed a connection'))
    socket.on('error', () => undefined)
    return line
  }

  // As many as are due by now, as far as lines are free. One that had to wait for a line has waited since it
  // was due: a gateway that cannot keep up must not look quick for it.
  #sendDue(): void {
    const now = performance.now()
    if (now >= this.#endAt) return void (this.#underWay === 0 && this.#done.resolve())
    const msBetween = 1_000 / (this.#order.perSecond ?? 1)
    for (;;) {
      const dueAt = this.#beganAt + this.#sent * msBetween
      const line = dueAt < now ? this.#idle.shift() : undefined
      if (!line) break
      this.#send(line, dueAt)
    }
  }

  #send(line: Line, dueAt = performance.now()): void {
    const { consents, sessionKeys, keyPrefix, mix } = this.#order
    line.kind = this.#drawKind(line)
    this.#sent += 1
    this.#underWay += 1
    if (line.kind !== 'repeat') {
      const consent = line.kind === 'hot' && mix ? mix.hotConsent : this.#dice.upTo(consents)
      line.baseMinor = line.kind === 'ordinary' ? 99 + this.#dice.upTo(4_901) : fixedMinor(line.kind)
      const sessionKey = sessionKeys[consent % sessionKeys.length] ?? ''
      const { baseMinor } = line
      line.request.write({ consent, baseMinor, sessionKey, key: `${keyPrefix}-${this.#sent}-` })
    }
    line.dueAt = dueAt
    line.socket.write(line.request.bytes)
  }

  #drawKind({ transaction }: Line): Kind {
    const { mix } = this.#order
    if (!mix) return 'ordinary'
    const roll = this.#dice.roll()
    if (roll < mix.declines) return 'decline'
    if (roll < mix.declines + mix.hot) return 'hot'
    // Only the last request of a line can be sent again.
    return roll < mix.declines + mix.hot + mix.duplicates && transaction !== '' ? 'repeat' : 'ordinary'
  }

  #hear(line: Line, chunk: Buffer): void {
    const answer = line.reader.read(chunk)
    if (!answer) return
    const now = performance.now()
    this.#underWay -= 1
    const isTurnedAway = answer.status === 503 && errorCodeOf(answer) === turnedAway
    if (isTurnedAway) {
      this.#tally.turnedAway += 1
      line.transaction = ''
    } else this.#judge(line, answer)
    if (now <= this.#endAt && !isTurnedAway) {
      this.#tally.answersInTime += 1
      this.#ms.push(now - line.dueAt)
    }
    if (isTurnedAway) setTimeout(() => this.#goOn(line), comeBackAfterMs)
    else this.#goOn(line)
  }

  #goOn(line: Line): void {
    if (performance.now() >= this.#endAt) {
      if (this.#underWay === 0) this.#done.resolve()
    } else if (this.#order.perSecond === null) this.#send(line)
    else this.#idle.push(line)
  }

  #judge(line: Line, answer: Answer): void {
    const tally = this.#tally
    const said = this.#saidBy(line, answer)
    const transaction = this.#order.mix ? transactionOf(answer) : ''
    if (said === 'approved' && line.kind === 'repeat' && transaction === line.transaction) {
      tally.repeated += 1
      return
    }
    line.transaction = said === 'approved' && line.kind === 'ordinary' ? transaction : ''
    if (said === 'approved' && (line.kind === 'ordinary' || line.kind === 'hot')) {
      tally.approved += 1
      tally.approvedMinor += line.baseMinor + this.#order.feeMinor
      if (line.kind === 'hot') tally.hotApproved += 1
    } else if (said === 'declined' && line.kind === 'decline') tally.declined += 1
    else if (said === 'over limit' && line.kind === 'hot') tally.hotRefused += 1
    else {
      tally.wrong += 1
      tally.example ||= `${line.kind}: ${answer.status} ${answer.body.toString('utf8').slice(0, 500)}`
    }
  }

  #saidBy({ baseMinor }: Line, answer: Answer): 'approved' | 'declined' | 'over limit' | 'something else' {
    if (answer.isApproved && answer.isDone) {
      const total = (baseMinor + this.#order.feeMinor) / 100
      return answer.body.includes(`"TotalAmt":${total}}`) ? 'approved' : 'something else'
    }
    if (answer.isDone) return 'declined'
    return errorCodeOf(answer) === overLifetimeLimit ? 'over limit' : 'something else'
  }

  #finish(problem: string): void {
    if (this.#underWay > 0) {
      this.#tally.wrong += this.#underWay
      this.#tally.example ||= problem
    }
    this.#done.resolve()
  }
}

function fixedMinor(kind: 'decline' | 'hot' | 'repeat'): number {
  return kind === 'decline' ? declinedMinor : hotMinor
}

const heard = Buffer.allocUnsafeSlow(65_536)

async function open(port: number): Promise<Connection> {
  const callback = (length: number): boolean => {
    connection.hear(heard.subarray(0, length))
    return true
  }
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: heard, callback } })
  const connection: Connection = { socket, hear: () => undefined }
  await once(socket, 'connect')
  return connection
}

async function obey(message: unknown): Promise<object> {
  const connections: Connection[] = []
  try {
    const order = Parse(ChargeOrder, message)
    for (let at = 0; at < order.connections; at++) connections.push(await open(order.port))
    return await new Run(order).carryOut(connections)
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  } finally {
    for (const { socket } of connections) socket.removeAllListeners('close').destroy()
  }
}

endWithParent()
process.on('message', (message) => {
  void obey(message).then(tellParent)
})
