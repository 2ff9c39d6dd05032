import type { AchOrigin } from '#capabilities/bank-debits/ach-needs.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { BankAccountFacts } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import { addBankingDays } from '#kernel/banking-days.ts'
import type { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { entryDetail } from '#kernel/nacha/layout.ts'
import type { NachaBatch, NachaEntry, NachaFile } from '#kernel/nacha/nacha-file.ts'
import { transactionCode } from '#kernel/nacha/nacha-file.ts'
import { nachaText } from '#kernel/nacha/write-nacha.ts'

export type OpenedItem = {
  readonly item: BankItem
  readonly account: BankAccountFacts & { readonly number: BankAccountNumber }
}

type FileFacts = {
  readonly origin: AchOrigin
  readonly merchant: Merchant
  readonly batchId: bigint
  readonly modifier: string
  // In the zone of the merchant record.
  readonly madeAt: Temporal.PlainDateTime
}

// The file of one settlement: what persons authorized on a page of ours in one batch of the network, what
// they authorized otherwise in another, the accounts of businesses in a third. Debits and credits travel
// together, but what is given back to a person was not authorized on a page.
export function bankFileOf(facts: FileFacts, items: readonly OpenedItem[]): NachaFile {
  const { origin, merchant, batchId, modifier, madeAt } = facts
  const groups = (['PPD', 'CCD', 'WEB'] as const)
    .map((entryClass) => ({ entryClass, group: items.filter((one) => entryClassOf(one) === entryClass) }))
    .filter(({ group }) => group.length > 0)
  return {
    header: {
      destination: origin.bankRouting,
      destinationName: nachaText(origin.bankName, 23),
      origin: origin.companyId,
      originName: nachaText(merchant.name, 23),
      createdOn: madeAt.toPlainDate(),
      createdAt: madeAt.toPlainTime(),
      modifier,
      reference: String(batchId).slice(-8),
    },
    batches: groups.map(({ entryClass, group }, at): NachaBatch => {
      return {
        companyName: nachaText(merchant.name, 16),
        companyId: origin.companyId,
        entryClass,
        description: 'SALE',
        effectiveOn: addBankingDays(madeAt.toPlainDate(), 1),
        originatingBank: origin.bankRouting.slice(0, 8),
        number: at + 1,
        entries: group.map(entryOf).toSorted(byTrace),
      }
    }),
  }
}

function entryClassOf({ item, account }: OpenedItem): 'PPD' | 'CCD' | 'WEB' {
  if (account.isBusiness) return 'CCD'
  return item.kind === 'debit' && item.details.origin === 'WID' ? 'WEB' : 'PPD'
}

function entryOf({ item, account }: OpenedItem): NachaEntry {
  const { holderFirstName, holderLastName } = item.details
  assert(item.trace !== null, 'an item of a file has a trace number')
  return {
    transactionCode: transactionCode(account.type, item.kind),
    routingNumber: account.routingNumber,
    accountNumber: account.number.reveal(),
    amountMinor: item.total.minor,
    individualId: String(item.attemptId),
    name: nachaText(`${holderFirstName} ${holderLastName}`, 22),
    // Authorized for once, as the network wants to know of what was authorized on a page.
    discretionary: entryClassOf({ item, account }) === 'WEB' ? 'S' : '',
    trace: item.trace,
    addenda: null,
  }
}

function byTrace(left: NachaEntry, right: NachaEntry): number {
  return left.trace < right.trace ? -1 : 1
}

const marks = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split('')
const minutesOfDay = 24 * 60

export type FileMark = { readonly minute: number; readonly modifier: string }

// What tells a file from all others of its day: a mark that none of them has, as long as there is one, and
// then the minute in its header together with the mark. A minute with 36 files is full, and the nearest one
// that is not stands in for it: a later one first. A day has room for 51,840; after that marks repeat.
export function nextFileMark(used: ReadonlyMap<number, string>, minute: number): FileMark {
  const ofDay = [...used.values()].join('')
  for (let distance = 0; distance < minutesOfDay; distance += 1) {
    for (const near of [minute + distance, minute - distance]) {
      if (near < 0 || near >= minutesOfDay) continue
      const free = marks.filter((mark) => !used.get(near)?.includes(mark))
      if (free.length > 0) return { minute: near, modifier: rarest(free, ofDay) }
    }
  }
  return { minute, modifier: rarest(marks, ofDay) }
}

function rarest(choice: readonly string[], used: string): string {
  const counts = new Map<string, number>()
  for (const mark of used) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  const countOf = (mark: string) => counts.get(mark) ?? 0
  return choice.reduce((best, mark) => (countOf(mark) < countOf(best) ? mark : best))
}

// The file without its account numbers, for the database.
export function hideAccounts(file: string): string {
  return changeAccounts(file, ({ length }) => '*'.repeat(length))
}

// The file as it was, with the account numbers from the vault.
export function showAccounts(hidden: string, accounts: ReadonlyMap<string, BankAccountNumber>): string {
  return changeAccounts(hidden, (_, line) => {
    const trace = line.slice(entryDetail.trace.from - 1, entryDetail.trace.to)
    const number = accounts.get(trace)
    assert(number, 'every entry of a file has its account')
    return number.reveal()
  })
}

function changeAccounts(file: string, change: (account: string, line: string) => string): string {
  const { from, to } = entryDetail.accountNumber
  const lines = file.split('\n').map((line) => {
    if (!line.startsWith('6')) return line
    const account = change(line.slice(from - 1, to), line).padEnd(to - from + 1)
    return line.slice(0, from - 1) + account + line.slice(to)
  })
  return lines.join('\n')
}
