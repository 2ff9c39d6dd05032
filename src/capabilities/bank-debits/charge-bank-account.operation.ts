import { amountMaxMinor } from '#capabilities/bank-debits/ach-amount.ts'
import { bankAttempt } from '#capabilities/bank-debits/bank-attempt.ts'
import { takesAch } from '#capabilities/bank-debits/takes-ach.ts'
import { bankItemFollower } from '#capabilities/bank-debits/bank-item.follower.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Person } from '#capabilities/wire/person.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import { lookAlikesOf, tellEarlier } from '#engine/look-alikes/follow-look-alikes.operation.ts'
import { isLookAlike } from '#engine/look-alikes/look-alike.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor } from '#engine/merchants/merchant.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import type { Attempt, Following, PaymentDetails } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { isNobodysRefusal, outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import { knownAnswer, recordAtOnce } from '#engine/payments/record-at-once.operation.ts'
import type { BankAccountFacts } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import type { BankAccountNumber } from '#kernel/bank-account-number.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import { refuse, type Result } from '#kernel/result.ts'
import { randomDigits } from '#platform/crypto/random.ts'

export type BankCharge = BankAccountFacts & {
  readonly merchant: MerchantNumber
  readonly number: BankAccountNumber
  readonly amount: AskedAmount
  readonly holder: Person
  readonly customer: Person
  readonly service: string
  readonly clientRef: string
  readonly guid: string
}

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'followers' | 'merchantReads' | 'vault'>
type ChargeRefusal =
  | OutcomeRefusal
  | 'merchant_not_found'
  | 'ach_not_taken'
  | 'value_out_of_range'
  | 'look_alike'

const authorizationDigits = 6

// Takes money from a bank account. Nobody is asked now: the debit goes out with the file of the next
// settlement, and its bank may send it back days later. The account number is kept in the vault until then
// and for credits.
export async function chargeBankAccount(
  needs: Needs,
  caller: Caller,
  charge: BankCharge,
): Promise<Result<Attempt, ChargeRefusal, Attempt>> {
  const merchants = await listMerchants(needs, caller.accountId)
  const merchant = merchantFor(caller, merchants, charge.merchant)
  if (!merchant) return refuse('merchant_not_found', { merchant: charge.merchant })
  if (!takesAch(merchant)) return refuse('ach_not_taken', { merchant: charge.merchant })
  const amount = moneyAsked(charge.amount, merchant)
  if (!amount.ok) return amount
  const also = lookAlikesOf({ consentId: '', total: amount.value }, merchant, charge)
  const wish = { charge, amount: amount.value, origin: 'API', also } as const
  const paid = await debitBankAccount(needs, caller, wish)
  return isLookAlike(paid) ? tellEarlier(needs, paid) : paidOutcome(paid, isNobodysRefusal)
}

// The same answer once more, from what is stored.
export async function repeatBankCharge(
  _needs: unknown,
  attempt: Attempt,
): Promise<Result<Attempt, OutcomeRefusal, Attempt>> {
  return outcomeOf(attempt)
}

function moneyAsked(asked: AskedAmount, merchant: Merchant): Result<Money, 'value_out_of_range'> {
  const amount = askedMoney(asked, merchant.currency)
  if (!amount.ok) return amount
  const { minor } = amount.value
  const no = (problem: string) => refuse('value_out_of_range', { problem: `${asked.member} ${problem}` })
  if (minor === 0n) return no('must be more than 0')
  if (minor > amountMaxMinor) return no('must be at most 99999999.99')
  const bound = { most: mostAtOnce(merchant), member: asked.member }
  return tooMuchAtOnce(amount.value, bound) ?? amount
}

type KnownCharge = Omit<BankCharge, 'amount'>
type Debit = {
  readonly charge: KnownCharge
  readonly amount: Money
  readonly origin: PaymentDetails['origin']
  // What another slice changes together with the debit.
  readonly also: readonly Following[]
}
type Payee = Pick<Caller, 'accountId' | 'callerKey' | 'userId'>

// The account and the debit that refers to it are stored together; of a debit that is turned down no number
// stays.
export async function debitBankAccount(
  needs: Needs,
  caller: Payee,
  { charge, amount, origin, also }: Debit,
): Promise<Paid> {
  const at = needs.accountClock.now(caller.accountId)
  return needs.db.inTransaction(async (tx) => {
    const { number, routingNumber, type, isBusiness } = charge
    const account = { account: caller.accountId, number, routingNumber, type, isBusiness }
    const [bankAccount] = await needs.vault.storeBankAccounts(tx, { accounts: [account], at })
    assert(bankAccount !== undefined, 'an account that was stored has an id')
    const attempt = bankAttempt(caller, {
      kind: 'bank_debit',
      parentId: null,
      merchant: charge.merchant,
      amount,
      details: { ...detailsOf(charge, caller), origin },
      following: [following(bankItemFollower, bankAccount, null), ...also],
      ref: newReference(),
      at,
    })
    const answer = knownAnswer(amount, randomDigits(authorizationDigits))
    const [paid] = await recordAtOnce(tx, needs, [{ attempt, answer }])
    assert(paid, 'whatever is recorded is answered')
    if (paid.kind !== 'recorded') {
      const accounts = [{ account: caller.accountId, bankAccountId: bankAccount }]
      await needs.vault.eraseBankAccounts(tx, { accounts, at })
    }
    return paid
  })
}

function detailsOf(charge: KnownCharge, { userId }: Payee): PaymentDetails {
  const { number, holder, customer, service, clientRef, guid } = charge
  return {
    consentId: '',
    lastFour: number.lastFour,
    brand: '',
    expiry: '',
    holderFirstName: holder.firstName,
    holderLastName: holder.lastName,
    customerFirstName: customer.firstName,
    customerLastName: customer.lastName,
    service,
    clientRef,
    guid,
    user: '',
    userId: String(userId),
    origin: 'API',
    feeDecision: '',
  }
}
