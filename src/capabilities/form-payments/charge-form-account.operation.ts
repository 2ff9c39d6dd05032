import { debitBankAccount } from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { type FormDetail, formFollower } from '#capabilities/forms/form.follower.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { BankAccountGiven, Submission } from '#capabilities/form-payments/read-submission.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Following } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import { assert } from '#kernel/assert.ts'

type AccountCharge = {
  readonly form: Form
  readonly account: BankAccountGiven
  readonly submission: Submission
  readonly detail: FormDetail
  readonly also: readonly Following[]
}

// Debits the bank account that a payer typed. Nobody is asked now: it goes out with the next settlement.
export async function chargeFormAccount(
  needs: EngineContext,
  { form, account, submission, detail, also }: AccountCharge,
): Promise<Paid> {
  const { amount, payer, clientRef, guid } = submission
  assert(amount, 'a bank account is debited by an amount')
  const { accountId, userId, merchantNumber: merchant } = form
  const person = { ...payer, company: '' }
  return debitBankAccount(
    needs,
    { accountId, userId, callerKey: null },
    {
      charge: {
        ...account,
        isBusiness: false,
        merchant,
        holder: person,
        customer: { ...form.payer, company: '' },
        service: '',
        clientRef,
        guid,
      },
      amount,
      origin: 'WID',
      also: [...also, following(formFollower, form.formId, detail)],
    },
  )
}
