import type { BankPage, BankPages, PayerAuthentication } from '#engine/acquirers/payer-authentication.ts'
import type { Challenge, ChallengeAnswer } from '../../../simulator/challenge.ts'
import { challengePage, challengeStyle, unknownChallengePage } from '../../../simulator/challenge-page.ts'
import type { PayerBank } from '../../../simulator/payer-bank.ts'

// Below it the bank's own pages are served.
export const bankPagesPath = '/bank/challenge/'

// The simulated bank that knows the payer, in this process.
export function simulatorPayerBank({ bank }: { readonly bank: PayerBank }): PayerAuthentication {
  return {
    name: 'simulator',
    ask: async (question) => {
      const answer = await bank.ask(question)
      return answer.kind === 'challenge'
        ? { ...answer, address: `${bankPagesPath}${answer.challengeId}` }
        : answer
    },
    outcomeOf: (challengeId) => bank.outcomeOf(challengeId),
  }
}

export function simulatorBankPages({ bank }: { readonly bank: PayerBank }): BankPages {
  return {
    show: async (challengeId) => pageOf(await bank.find(challengeId)),
    answer: async (challengeId, fields) => {
      const challenge = await bank.answer(challengeId, answerFrom(fields))
      const isOver = challenge !== null && challenge.state !== 'open'
      const goOn = isOver && challenge.returnTo !== '' ? challenge.returnTo : null
      return { ...pageOf(challenge), goOn }
    },
  }
}

function answerFrom(fields: ReadonlyMap<string, string>): ChallengeAnswer {
  if (fields.get('answer') === 'cancel') return { kind: 'cancel' }
  return { kind: 'code', digits: (fields.get('code') ?? '').replaceAll(/\s/g, '') }
}

function pageOf(challenge: Challenge | null): BankPage {
  const { text } = challenge ? challengePage(challenge) : unknownChallengePage()
  return { text, style: challengeStyle, isKnown: challenge !== null, goOn: null }
}
