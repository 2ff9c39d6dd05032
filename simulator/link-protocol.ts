import { cardExpiry } from '#kernel/card-expiry.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { Secret } from '#kernel/secret.ts'
import type { LogQuery, LogRow, Standing } from './bank-log.ts'
import { type BankRequest, isReply, type PresentedCard, type ToldReply } from './bank-request.ts'
import { type Dispute, disputeOf, type TakenBack } from './dispute.ts'
import type { Chaos, FaultRule } from './fault-script.ts'

// One line of JSON each way. Amounts travel as text, because a JSON number is a double.

export type BankAddress = { readonly path: string } | { readonly host: string; readonly port: number }

// Tests only: what the bank shall do wrong, and what it saw.
export type Control =
  | { readonly verb: 'control'; readonly do: 'fault'; readonly rule: FaultRule }
  | { readonly verb: 'control'; readonly do: 'chaos'; readonly chaos: Chaos | null }
  | { readonly verb: 'control'; readonly do: 'clear' }
  | { readonly verb: 'control'; readonly do: 'log'; readonly query: LogQuery }
  | { readonly verb: 'control'; readonly do: 'stop' }

export type ReportAsked = { readonly verb: 'report'; readonly from: string; readonly to: string }
export type DisputesAsked = { readonly verb: 'disputes'; readonly from: string; readonly to: string }
export type LinkRequest = BankRequest | ReportAsked | DisputesAsked | Control

export function printLine(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => {
    return typeof member === 'bigint' ? String(member) : member
  })
  return `${text}\n`
}

// The one place where a card number and a security code are written: to the bank, for this request only.
export function printRequest(request: LinkRequest): string {
  if (request.verb !== 'authorize') return printLine(request)
  const { number, securityCode } = request.card
  const card = { ...request.card, number: number.reveal(), securityCode: securityCode?.reveal() ?? null }
  return printLine({ ...request, card })
}

type Printed<T> = T extends Money
  ? { readonly minor: string; readonly currency: string }
  : T extends CardNumber
    ? string
    : T extends Secret | null
      ? string | null
      : T extends object
        ? { readonly [Name in keyof T]: Printed<T[Name]> }
        : T

// null: nothing that this bank understands.
export function parseRequest(line: string): LinkRequest | null {
  try {
    const sent: Printed<BankRequest> | ReportAsked | DisputesAsked | Control = JSON.parse(line)
    switch (sent.verb) {
      case 'authorize':
        return {
          ...sent,
          card: readCard(sent.card),
          amount: readMoney(sent.amount),
          fee: readMoney(sent.fee),
        }
      case 'refund':
        return { ...sent, amount: readMoney(sent.amount) }
      case 'settle':
        return { ...sent, items: sent.items.map((item) => ({ ...item, amount: readMoney(item.amount) })) }
      case 'inquire':
      case 'reverse':
      case 'report':
      case 'disputes':
      case 'control':
        return sent
      default:
        return null
    }
  } catch {
    return null
  }
}

function readCard(card: Printed<PresentedCard>): PresentedCard {
  const number = CardNumber.parse(card.number)
  const expiry = cardExpiry(card.expiry.month, card.expiry.year)
  if (!number || !expiry) throw new Error('This is no card')
  const securityCode = card.securityCode === null ? null : new Secret(card.securityCode)
  return { ...card, number, expiry, securityCode }
}

function readMoney({ minor, currency: code }: Printed<Money>): Money {
  const currency = currencyCode(code)
  if (!currency) throw new Error('This is no currency')
  return { minor: BigInt(minor), currency }
}

// What came back is believed only as far as its shape goes; null for anything odd.
export function parseReply(line: string): ToldReply | null {
  const sent = parseWithAmounts(line)
  return isReply(sent) ? sent : null
}

export type ReportedLine = Pick<Standing, 'ref' | 'kind' | 'reply' | 'batchRef'> & {
  readonly at: string
  readonly reversedAt: string | null
}

const momentsOfDispute = new Set(['at', 'chargebackAt', 'decidedAt'])

export function parseDisputedLine(line: string): Dispute | { readonly end: true } {
  const said: Dispute | TakenBack | { readonly end: true } = JSON.parse(line, (name, value: unknown) =>
    momentsOfDispute.has(name) && typeof value === 'string'
      ? Temporal.Instant.from(value)
      : readAmount(name, value),
  )
  // An earlier bank said no more than when a sale is taken back.
  return 'end' in said || 'decidedAt' in said ? said : disputeOf(said)
}

export function parseReportedLine(line: string): ReportedLine | { readonly end: true } {
  return JSON.parse(line, readAmount)
}

export function parseLogRows(line: string): readonly LogRow[] {
  const { rows }: { readonly rows: readonly LogRow[] } = JSON.parse(line, (name, value: unknown) =>
    name === 'at' && typeof value === 'string' ? Temporal.Instant.from(value) : readAmount(name, value),
  )
  return rows
}

function parseWithAmounts(line: string): unknown {
  try {
    return JSON.parse(line, readAmount)
  } catch {
    return null
  }
}

function readAmount(name: string, value: unknown): unknown {
  const isAmount = (name.endsWith('Minor') || name === 'sequence') && typeof value === 'string'
  return isAmount && /^-?\d{1,18}$/.test(value) ? BigInt(value) : value
}
