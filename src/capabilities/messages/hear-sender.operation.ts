import {
  countAnswered,
  type Correspondent,
  endWaitingTexts,
  findCorrespondent,
  insertInbound,
  setAnswer,
  startPhone,
  stopPhone,
} from '#capabilities/messages/inbound.store.ts'
import { lockLane } from '#capabilities/messages/lane.store.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import { insertMessage } from '#capabilities/messages/message.store.ts'
import { publicIdOf } from '#capabilities/messages/queue-message.operation.ts'
import { applyReceipt, keepEarlyReceipt, settleMessage } from '#capabilities/messages/receipt.store.ts'
import { readPhone } from '#capabilities/messages/recipient.ts'
import type { DeliveryReceipt, Hearing, ReceivedText } from '#capabilities/messages/sender.ts'
import { answerTo, readWord, type Word } from '#capabilities/messages/words.ts'
import { maskCardNumbers } from '#kernel/card-in-text.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<MessageNeeds, 'deliveryDb' | 'clock' | 'accountClock'>

const textLengthMax = 2_000
// Two machines that answer each other stop here.
const answersPerHour = 5

// What the other side tells a sender: it is told "heard" only after this is committed.
export function hearingOf(needs: Needs): Hearing {
  return {
    onReceipt: (receipt) => recordReceipt(needs, receipt),
    onText: (received) => receiveText(needs, received),
  }
}

// A receipt may be faster than we are: one whose part is not known yet is kept for it.
export async function recordReceipt({ deliveryDb, clock }: Needs, receipt: DeliveryReceipt): Promise<void> {
  await deliveryDb.inTransaction(async (tx) => {
    await lockLane(tx, 'text')
    const at = clock.now()
    const kept = { ...receipt, problem: maskCardNumbers(receipt.problem) }
    const messageId = await applyReceipt(tx, kept, at)
    await (messageId === null ? keepEarlyReceipt(tx, kept, at) : settleMessage(tx, messageId, at))
  })
}

// Only STOP, START and HELP mean something; everything else is kept for whoever wants to read it.
export async function receiveText(needs: Needs, received: ReceivedText): Promise<void> {
  const from = phoneOf(received)
  const text = maskCardNumbers(received.text.replaceAll('\0', '')).slice(0, textLengthMax)
  const word = readWord(text)
  await needs.deliveryDb.inTransaction(async (tx) => {
    await lockLane(tx, 'text')
    const at = needs.clock.now()
    const inbound = await insertInbound(tx, { ...received, phone: from, text }, { word, at })
    if (inbound === null || word === null) return
    const answersBefore = await countAnswered(tx, from, at.subtract({ hours: 1 }))
    const isNews = await obey(tx, from, { word, at })
    const correspondent = await findCorrespondent(tx, from)
    // Whom nobody has texted is not answered: numbers that cost money would call us.
    if (received.isAnswered || !isNews || !correspondent || answersBefore >= answersPerHour) return
    await setAnswer(tx, inbound, await answer(needs, tx, { to: from, word, correspondent }))
  })
}

// Centres tell the numbers of their own country as people there dial them, or leave the + out. A number that
// can be both is one of the country: where it is not, the centre says so by a +.
function phoneOf({ phone: told, country = 'US' }: ReceivedText): string {
  const athome = readPhone(told, country)
  const phone = athome.ok ? athome : readPhone(`+${told}`, country)
  return phone.ok ? phone.value : told
}

type Said = { readonly word: Word; readonly at: Temporal.Instant }

// Answers whether there is anything to tell the phone.
async function obey(tx: Tx, phone: string, { word, at }: Said): Promise<boolean> {
  switch (word) {
    case 'stop':
      await endWaitingTexts(tx, phone, at)
      return stopPhone(tx, phone, at)
    case 'start':
      return startPhone(tx, phone)
    case 'help':
      return true
  }
}

type Answer = { readonly to: string; readonly word: Word; readonly correspondent: Correspondent }

// Goes out even to a phone that has just stopped, and counts towards no limit of the merchant.
function answer({ accountClock }: Needs, tx: Tx, { to, word, correspondent }: Answer) {
  const { accountId, merchantNumber } = correspondent
  const message = {
    accountId,
    merchantNumber,
    channel: 'text',
    recipient: to,
    purpose: 'reply',
    subject: '',
    text: answerTo(word, correspondent),
    html: null,
    linkId: null,
    at: accountClock.now(accountId),
  } as const
  return insertMessage(tx, message, publicIdOf())
}
