// What the line between a merchant's gateway and the bank does to one request and its answer.

export type Garble = 'cut' | 'noise' | 'other_ref' | 'other_currency' | 'too_much'

export type Delivery = {
  // The bank never sees the request, and never writes it down.
  readonly losesRequest: boolean
  readonly arrivesAfterMs: number
  // The bank has decided and written it down; nobody is told.
  readonly losesAnswer: boolean
  readonly answersAfterMs: number
  readonly answersTwice: boolean
  readonly garbles: Garble | null
  // Waits for a second answer that is swapped too, and exchanges the two.
  readonly swapsAnswer: boolean
  // What is lost breaks the line; otherwise the caller hears nothing until it gives up.
  readonly hangsUp: boolean
  // Inquiries about this reference say "not found" for so long.
  readonly inquiryLagMs: number
  // Inquiries about this reference are not answered for so long.
  readonly inquirySilenceMs: number
}

export const promptDelivery: Delivery = {
  losesRequest: false,
  arrivesAfterMs: 0,
  losesAnswer: false,
  answersAfterMs: 0,
  answersTwice: false,
  garbles: null,
  swapsAnswer: false,
  hangsUp: false,
  inquiryLagMs: 0,
  inquirySilenceMs: 0,
}
