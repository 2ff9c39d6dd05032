import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useGateway } from '../support/in-process-gateway.ts'

// Mastercard's merchant advice from the bank to the merchant, through the interface alone.
describe('a plan on a card that Mastercard advises about', () => {
  const gateway = useGateway()

  async function call<T>(path: string, body: object): Promise<T> {
    const SessKey = await gateway().signIn()
    const answer = await gateway().post(`/APIcardProcREST/v1.0.0/${path}`, body, { SessKey })
    const [result] = Object.values(JSON.parse(answer.text) as Record<string, T>)
    assert.ok(result, 'every answer has an envelope')
    return result
  }

  type Row = { readonly RStatus: string; readonly Tries: number }

  async function statesAfterOneRun(card: string): Promise<string> {
    const { ConsentID } = await call<{ ConsentID: number }>('ConsentRecurring/Create', {
      ccCardInfo: { AccountNumber: card, ExpMonth: 12, ExpYear: 2098 },
      ConsentCreator: { MerchID: 1, NumPayments: 3, TotalAmount: 30, Period: 'WEEKLY' },
      AcctHolder: { Firstname: 'Ann', Lastname: 'Example' },
    })
    await call('RecurringSchedule/ProcessScheduledPayments', { MerchID: 1 })
    const found = await call<{ Schedule: readonly Row[] }>('Query/RecurringSchedule', {
      Query: `(A=${ConsentID})`,
    })
    return found.Schedule.toReversed()
      .map(({ RStatus, Tries }) => `${RStatus}${Tries}`)
      .join(' ')
  }

  for (const [card, advice, states] of [
    ['5454545454545454', '03, do not try again', 'F1 C0 C0'],
    ['5424000000000015', '21, cancelled by the payer', 'F1 C0 C0'],
    ['5431111111111111', '27, wait 4 days', 'S1 S0 S0'],
  ] as const) {
    test(`advice ${advice}: ${states}`, async () => {
      assert.equal(await statesAfterOneRun(card), states)
    })
  }
})
