import { findBatchItems } from '#capabilities/bank-debits/bank-batch.store.ts'
import { showAccounts } from '#capabilities/bank-debits/bank-file.ts'
import { findFile } from '#capabilities/bank-debits/bank-file.store.ts'
import type { EngineContext } from '#engine/context.ts'
import type { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'vault' | 'keyRing'>

// The file of a batch, byte for byte as it was made. Account numbers come from the vault; should one of them
// have changed, the digest tells.
export async function printBankFile(
  { db, vault, keyRing }: Needs,
  batchId: bigint,
): Promise<Result<string, 'bank_file_not_found' | 'bank_file_changed'>> {
  const [file, items] = await Promise.all([findFile(db, batchId), findBatchItems(db, batchId)])
  if (!file) return refuse('bank_file_not_found')
  const refs = items.map((item) => ({ account: item.accountId, bankAccountId: item.bankAccountId }))
  const openings = await vault.openBankAccounts(db, refs)
  const accounts = items.flatMap(({ trace }, at): readonly (readonly [string, BankAccountNumber])[] => {
    const opening = openings[at]
    return trace !== null && opening?.kind === 'opened' ? [[trace, opening.number]] : []
  })
  if (accounts.length < items.length) return refuse('bank_file_changed')
  const text = showAccounts(file.hidden, new Map(accounts))
  const isSame = keyRing.keyedDigest('bank-file', text).equals(file.digest)
  return isSame ? ok(text) : refuse('bank_file_changed')
}
