import { digestOfToken } from '#capabilities/forms/form-token.operation.ts'
import { countOpen } from '#capabilities/forms/form-expiry.store.ts'
import { listForms } from '#capabilities/forms/form.store.ts'
import { type Form, type FormStanding, standingOf } from '#capabilities/forms/form.ts'
import { type BankDebitStanding, findBankDebit } from '#capabilities/bank-debits/find-bank-debit.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import { type Newest, newestOf, soughtMax } from '#kernel/newest.ts'
import { ok, type Ok } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'

export type FormQuery = {
  readonly form: bigint | null
  readonly token: Secret | null
  readonly reference: string
}

export type FoundForm = {
  readonly form: Form
  readonly standing: FormStanding
  readonly attempt: Attempt | null
  // What became at the bank of the debit that paid it; null for cards.
  readonly bankDebit: BankDebitStanding | null
}

// What became of forms, for the merchant's own system.
export async function queryForms(
  needs: Pick<EngineContext, 'db' | 'keyRing' | 'accountClock'>,
  { accountId: account, merchantNumber: merchant }: Caller,
  { form, token, reference }: FormQuery,
): Promise<Ok<Newest<FoundForm>>> {
  const tokenDigest = token && digestOfToken(needs, token)
  const sought = { account, merchant, form, tokenDigest, reference, most: soughtMax }
  const { found: forms, isCut } = newestOf(await listForms(needs.db, sought))
  const now = needs.accountClock.now(account)
  const found = forms.map(async (one) => {
    const { attemptRef: ref } = one
    const attempt = ref && (await findAttemptByReference(needs, { account, ref }))
    const isDebit = attempt?.kind === 'bank_debit'
    const bankDebit = isDebit ? await findBankDebit(needs, { account, id: attempt.attemptId }) : null
    return { form: one, standing: standingOf(one, now), attempt, bankDebit }
  })
  return ok({ found: await Promise.all(found), isCut })
}

// Those that somebody may still pay, without those of links.
export function countOpenForms({ db }: Pick<EngineContext, 'db'>, account: AccountId): Promise<bigint> {
  return countOpen(db, account)
}
