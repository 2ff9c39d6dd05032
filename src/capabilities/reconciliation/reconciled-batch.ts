import { printSum } from '#capabilities/reconciliation/print-sum.ts'
import type { Break } from '#capabilities/reconciliation/reconciled.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'

type Sums = { readonly count: number; readonly salesMinor: bigint; readonly creditsMinor: bigint }

// One batch as its header, its rows and the bank tell it.
export type ReconciledBatch = {
  readonly batch: bigint
  readonly number: number
  readonly state: string
  readonly ref: AcquirerRef
  readonly currency: string
  // As it was closed.
  readonly header: Sums & { readonly cardCount: number; readonly cardNetMinor: bigint }
  // As its rows are now: transactions of cards, and debits and credits of bank accounts.
  readonly cards: Sums
  readonly debits: Sums
  // Nobody is at work on it.
  readonly isLeft: boolean
  // What its file carries; null when it has none that was accepted, or one that cannot be read.
  readonly fileEntries: readonly FileEntry[] | null
  readonly debitEntries: readonly FileEntry[]
  // null: the bank does not know it, or has rejected it. silent: it could not be asked.
  readonly bankNetMinor: bigint | 'silent' | null
}

export type FileEntry = {
  readonly transaction: string
  readonly trace: string
  readonly minor: bigint
  readonly isDebit: boolean
}

export function breaksOfBatch(line: ReconciledBatch): readonly Break[] {
  const subject = `batch ${line.number} (id ${line.batch})`
  return [...headerCauses(line), ...fileCauses(line), ...atBankCauses(line), ...stateCauses(line)].map(
    (cause) => {
      return { subject, ref: line.ref, cause }
    },
  )
}

function headerCauses(line: ReconciledBatch): readonly string[] {
  const { state, header, cards, debits } = line
  const rows = cards.count + debits.count
  // Its header tells what was sent; what it held has gone elsewhere.
  if (state === 'released') return rows === 0 ? [] : [`it is released, and still has ${rows} rows`]
  const sum = (minor: bigint) => printSum(line, minor)
  const causes: string[] = []
  if (header.count !== rows) causes.push(`it has ${rows} rows, closed were ${header.count}`)
  if (header.cardCount !== cards.count)
    causes.push(`it has ${cards.count} rows of cards, closed were ${header.cardCount}`)
  const sales = cards.salesMinor + debits.salesMinor
  if (header.salesMinor !== sales)
    causes.push(`its sales sum up to ${sum(sales)}, closed were ${sum(header.salesMinor)}`)
  const credits = cards.creditsMinor + debits.creditsMinor
  if (header.creditsMinor !== credits)
    causes.push(`its credits sum up to ${sum(credits)}, closed were ${sum(header.creditsMinor)}`)
  const net = cards.salesMinor - cards.creditsMinor
  if (header.cardNetMinor !== net)
    causes.push(`its rows of cards sum up to ${sum(net)}, closed were ${sum(header.cardNetMinor)}`)
  return causes
}

function fileCauses(line: ReconciledBatch): readonly string[] {
  const { state, debits, fileEntries, debitEntries } = line
  if (state !== 'accepted' || debits.count === 0) return []
  if (!fileEntries) return ['it holds bank debits, and has no file that could be read']
  const inFile = new Map(fileEntries.map((entry) => [entry.transaction, entry]))
  const causes = debitEntries.flatMap((debit): readonly string[] => {
    const entry = inFile.get(debit.transaction)
    inFile.delete(debit.transaction)
    if (!entry) return [`its file leaves out the bank debit ${debit.transaction}`]
    const isSame =
      entry.minor === debit.minor && entry.trace === debit.trace && entry.isDebit === debit.isDebit
    return isSame ? [] : [`its file tells the bank debit ${debit.transaction} differently`]
  })
  return [...causes, ...[...inFile.keys()].map((id) => `its file carries ${id}, which is not in the batch`)]
}

function atBankCauses(line: ReconciledBatch): readonly string[] {
  const { state, header, bankNetMinor } = line
  if (header.cardCount === 0) return []
  if (bankNetMinor === 'silent') return ['the bank could not be asked whether it has accepted it']
  const isAccepted = state === 'accepted'
  if (bankNetMinor === null) return isAccepted ? ['it is accepted, and the bank has not accepted it'] : []
  const causes = isAccepted ? [] : [`it is ${state}, and the bank has accepted it`]
  if (bankNetMinor === header.cardNetMinor) return causes
  const [there, here] = [printSum(line, bankNetMinor), printSum(line, header.cardNetMinor)]
  return [...causes, `the bank settled ${there}, not ${here}`]
}

function stateCauses({ state, isLeft }: ReconciledBatch): readonly string[] {
  if (state === 'rejected') return ['it was rejected and waits to be settled again']
  if (state === 'unknown') return ['its outcome is not known yet']
  if (state === 'closing' && isLeft) return ['it is closed and was never sent']
  return state === 'sent' && isLeft ? ['it was sent, and what became of it was never recorded'] : []
}
