import { Check } from 'typebox/value'
import { chargeStoredCardContract } from '#capabilities/consents/charge-stored-card.contract.ts'
import { type ChargeOrder, ChargeTally } from './charge-order.ts'
import { startChild } from './child.ts'
import type { Bench } from './scenario.ts'
import type { Seeded } from './seed.ts'

// The load process for charges, seen from the benchmark.
export type ChargeLoad = {
  readonly processId: number
  send(wish: ChargeWish): Promise<ChargeTally>
}

export type ChargeWish = Pick<ChargeOrder, 'port' | 'connections' | 'seconds'> &
  Partial<Pick<ChargeOrder, 'perSecond' | 'mix'>>

const path = `${chargeStoredCardContract.prefix}${chargeStoredCardContract.path}`
const patienceMs = 60_000

export function startChargeLoad(bench: Pick<Bench, 'keep'>, seeded: Seeded): ChargeLoad {
  const child = startChild(import.meta.resolve('./charge-load.ts'))
  bench.keep(() => child.stop())
  let orders = 0
  return {
    processId: child.processId,
    send: async (wish) => {
      const { consents, sessionKeys, feeMinor } = seeded
      orders += 1
      const order: ChargeOrder = {
        path,
        consents,
        sessionKeys: [...sessionKeys],
        feeMinor,
        keyPrefix: `bench-${process.pid}-${orders}`,
        perSecond: null,
        mix: null,
        ...wish,
      }
      const told = await child.ask(order, Math.ceil(order.seconds * 1_000) + patienceMs)
      if (Check(ChargeTally, told)) return told
      throw new Error(`The load process failed: ${JSON.stringify(told)}`)
    },
  }
}
