import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import {
  netOf,
  toBankAuthorization,
  toBankBatch,
  toBankRefund,
} from '#engine/acquirers/simulator-question.ts'
import {
  type Heard,
  readAuthorization,
  readDisputed,
  readInquiry,
  readReported,
  readReversal,
  readSettlement,
} from '#engine/acquirers/simulator-reply.ts'
import type { Bank } from '../../../simulator/bank.ts'
import type { BankRequest } from '../../../simulator/bank-request.ts'
import { kindOfCard } from '../../../simulator/card-rows.ts'
import { disputesIn } from '../../../simulator/dispute.ts'

// The bank in the same process. Its answers may be lost, late, double or nonsense, as on a line.
export function simulatorAcquirer({ bank }: { readonly bank: Bank }): Acquirer {
  const ask = (request: BankRequest, signal: AbortSignal): Promise<Heard> => askBank(bank, request, signal)
  return {
    ...acquirerOver('simulator', ask),
    async *report(from, to) {
      for await (const { ref, kind, reply, at, reversedAt, batchRef } of bank.log.report(from, to)) {
        yield* readReported({ ref, kind, reply, at, batchRef, isReversed: reversedAt !== null })
      }
    },
    async *disputes(from, to) {
      for await (const dispute of disputesIn(bank.log, { from, to })) yield* readDisputed(dispute)
    },
  }
}

export type AskBank = (request: BankRequest, signal: AbortSignal) => Promise<Heard>

// What is the same however the bank is reached.
export function acquirerOver(name: string, ask: AskBank): Omit<Acquirer, 'report' | 'disputes'> {
  return {
    name,
    describeCard: (card) => kindOfCard(card.reveal()),
    authorize: async (request, signal) =>
      readAuthorization(await ask(toBankAuthorization(request), signal), request),
    refund: async (request, signal) => readAuthorization(await ask(toBankRefund(request), signal), request),
    inquire: async (ref, signal) => readInquiry(await ask({ verb: 'inquire', ref }, signal), ref),
    reverse: async (ref, signal) => readReversal(await ask({ verb: 'reverse', ref }, signal), ref),
    settle: async (batch, signal) => {
      const amount = netOf(batch)
      if (!amount) return { kind: 'declined', code: '95', checks: { avs: '', cvv: '' } }
      return readSettlement(await ask(toBankBatch(batch), signal), { ref: batch.ref, amount })
    },
  }
}

// The first thing that is heard counts; whatever comes after it, or after the caller gave up, falls on the
// floor.
function askBank(bank: Bank, request: BankRequest, signal: AbortSignal): Promise<Heard> {
  if (signal.aborted) return Promise.resolve({ kind: 'not_sent' })
  return new Promise((resolve) => {
    let isFiling = false
    // The log of this bank is in the gateway's own database: where that is away, the acquirer was not silent.
    const unknown = (because: 'timeout' | 'link_down'): Heard =>
      isFiling ? { kind: 'unknown', because, isOurOwn: true } : { kind: 'unknown', because }
    const giveUp = (): void => resolve(unknown('timeout'))
    const hear = (heard: Heard): void => {
      signal.removeEventListener('abort', giveUp)
      resolve(heard)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    void bank.receive(request, {
      say: (reply) => hear({ kind: 'reply', reply }),
      hangUp: () => hear(unknown('link_down')),
      filing: (isUnderWay) => {
        isFiling = isUnderWay
      },
    })
  })
}
