import assert from 'node:assert/strict'
import type { TestGateway } from './in-process-gateway.ts'
import { linkOrder } from './link-world.ts'

const prefix = '/APIcardProcREST/v1.0.0/'

type Answer = Readonly<Record<string, unknown>>

export async function callLink(gateway: TestGateway, path: string, body: object): Promise<Answer> {
  const SessKey = await gateway.signIn()
  const { text } = await gateway.post(prefix + path, body, { SessKey })
  const [result] = Object.values<Answer>(JSON.parse(text))
  assert(result)
  return result
}

// Orders a link over the interface and answers its address.
export async function sendLink(gateway: TestGateway, changes: object = {}): Promise<string> {
  const { PaymentUrl, ErrMsg } = await callLink(gateway, 'Other/SMSPay', linkOrder(changes))
  assert(typeof PaymentUrl === 'string', String(ErrMsg))
  return PaymentUrl
}

export async function linkAt(gateway: TestGateway, PaymentUrl: string): Promise<Answer> {
  const { Links } = await callLink(gateway, 'Link/Query', { PaymentUrl })
  const [link] = [Links].flat()
  return Object(link)
}

export async function withdraw(gateway: TestGateway, url: string): Promise<void> {
  const { LinkID } = await linkAt(gateway, url)
  assert.equal((await callLink(gateway, 'Link/Withdraw', { LinkID }))['ErrCode'], 0)
}

export async function newConsent(gateway: TestGateway, number = '4111111111111111'): Promise<number> {
  const { ConsentID, ErrMsg } = await callLink(gateway, 'ConsentAnnual/Create_MAN', {
    ccCardInfo: { AccountNumber: number, ExpMonth: 12, ExpYear: 2098 },
    ConsentCreator: { MerchID: 1 },
    AcctHolder: { Firstname: 'Ada', Lastname: 'Miller' },
  })
  assert(ConsentID, String(ErrMsg))
  return Number(ConsentID)
}
