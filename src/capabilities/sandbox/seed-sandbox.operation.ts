import { issueToken } from '#capabilities/sessions/issue-token.operation.ts'
import { type FirstKey, firstIntegratorKey } from '#capabilities/forms/integrator-keys.operation.ts'
import type { LinkNeeds } from '#capabilities/links/show-link.operation.ts'
import { changeLimits } from '#capabilities/messages/change-limits.operation.ts'
import {
  demoMerchants,
  demoMessageLimits,
  sandboxAccount,
  sandboxAccountCode,
} from '#capabilities/sandbox/demo-account.ts'
import { sandboxToken } from '#capabilities/sandbox/sandbox-token.operation.ts'
import { type SeededConsents, seedCards } from '#capabilities/sandbox/seed-cards.operation.ts'
import { seedLink, type SeededLinks } from '#capabilities/sandbox/seed-link.operation.ts'
import { lockSeeding } from '#capabilities/sandbox/seed-lock.store.ts'
import { type SeededOrders, seedOrders } from '#capabilities/sandbox/seed-orders.operation.ts'
import { type SeededSchedules, seedPlan } from '#capabilities/sandbox/seed-plan.operation.ts'
import { planSettlement } from '#capabilities/settlement/plan-settlement.operation.ts'
import { listTokens } from '#capabilities/sessions/revoke-token.operation.ts'
import { addMerchant } from '#engine/merchants/add-merchant.operation.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { findAccount } from '#engine/merchants/find-account.operation.ts'
import { assert } from '#kernel/assert.ts'
import { merchantNumber } from '#kernel/ids.ts'
import type { Secret } from '#kernel/secret.ts'

export type Sandbox = {
  readonly accountCode: string
  readonly token: Secret
  readonly integratorKey: FirstKey
  readonly consents: SeededConsents
  readonly schedules: SeededSchedules
  readonly orders: SeededOrders
  readonly links: SeededLinks
}

// Makes the demo account at the first start and finds it at every other one.
export async function seedSandbox(needs: LinkNeeds): Promise<Sandbox> {
  const token = sandboxToken(needs)
  await needs.db.inTransaction(async (tx) => {
    await lockSeeding(tx)
    const made = await createAccount(
      { ...needs, db: tx },
      { accountCode: sandboxAccountCode, settings: sandboxAccount },
    )
    if (!made.ok) return
    for (const settings of demoMerchants) {
      await addMerchant({ ...needs, db: tx }, { account: made.value.accountId, settings })
    }
    // Whoever tries things out sends to the same phone again and again.
    await changeLimits({ ...needs, db: tx }, made.value.accountId, demoMessageLimits)
    // The first record is closed by whoever tries the calls, not by itself.
    const record = { accountId: made.value.accountId, merchantNumber: merchantNumber(1) }
    await planSettlement({ ...needs, db: tx }, { ...record, plan: { isAutomatic: false, closesAt: '23:30' } })
  })
  const account = await findAccount(needs, sandboxAccountCode)
  assert(account.ok, 'the sandbox account exists after it was seeded')
  // Also for a sandbox that was seeded before accounts had one.
  const integratorKey = await firstIntegratorKey(needs, account.value.accountId)
  // Refused on every start but the first, because this very token is there already.
  await issueToken(needs, {
    account: account.value,
    alias: 'sandbox',
    merchant: null,
    description: 'Sandbox token',
    issuer: 'tillgate',
    token,
  })
  const [owner] = await listTokens(needs, account.value.accountId)
  assert(owner, 'the sandbox account has a token')
  const consents = await seedCards(needs, owner)
  const schedules = await seedPlan(needs, owner)
  const orders = await seedOrders(needs, owner)
  const links = await seedLink(needs, owner)
  const credentials = { accountCode: sandboxAccountCode, token, integratorKey }
  return { ...credentials, consents, schedules, orders, links }
}
