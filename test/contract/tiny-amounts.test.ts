import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'
import { freshBody } from './fresh-call.ts'

type Shape = {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly 'x-amount'?: boolean
}

// Paths such as ['Amounts', 'BaseAmt'].
function amountsOf({ properties = {} }: Shape): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, shape]) =>
    shape['x-amount'] ? [[name]] : amountsOf(shape).map((path) => [name, ...path]),
  )
}

// The form of the example makes no payment plan.
function withPlan(body: object): object {
  const { InitParams }: { InitParams?: { WidOptions?: object } } = body
  const WidOptions = { ...InitParams?.WidOptions, eFeatures: '0001' }
  const Subscription = { Period: 'MONTHLY', NumPayments: 3 }
  return { InitParams: { ...InitParams, Amounts: null, WidOptions, Subscription } }
}

// A place for a number that JSON.stringify would not write as it is meant.
const place = 'the tiny amount'

function withAmount(body: object, [name = '', ...rest]: readonly string[]): object {
  const inner: unknown = Reflect.get(body, name)
  return { ...body, [name]: rest.length === 0 ? place : withAmount(Object(inner ?? {}), rest) }
}

const cases = operations.flatMap(({ contract }) =>
  amountsOf(contract.request).flatMap((path) => [
    { contract, path, text: '1e-100', code: 4003 },
    { contract, path, text: '1e-400', code: 4000 },
    { contract, path, text: '"1e-100"', code: 4001 },
  ]),
)

describe('an amount smaller than any currency can pay', () => {
  const gateway = useGateway()

  for (const { contract, path, text, code } of cases) {
    test(`${text} as ${path.join('.')} of ${contract.path} is refused by name with ${code}`, async () => {
      const sessionKey = await gateway().signIn()
      const fresh = await freshBody(gateway(), sessionKey, contract)
      const body = withAmount(path.includes('Subscription') ? withPlan(fresh) : fresh, path)
      const sent = JSON.stringify(body).replace(`"${place}"`, text)
      const answer = await gateway().post(contract.prefix + contract.path, sent, {
        SessKey: sessionKey,
        'content-type': 'application/json',
      })
      const { ErrCode, ErrMsg } = readAnswer(answer, contract.resultKey)
      assert.equal(ErrCode, code, ErrMsg)
      assert.ok(ErrMsg.includes(path.at(-1) ?? ''), ErrMsg)
    })
  }
})
