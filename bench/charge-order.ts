import { type Static, Type } from 'typebox'

// What the load process is asked to send, and what it tells afterwards.

// What the hot consent is charged with, before fees.
export const hotMinor = 1_000

export const Mix = Type.Object({
  // Shares of all requests; the rest are ordinary charges.
  declines: Type.Number(),
  duplicates: Type.Number(),
  hot: Type.Number(),
  hotConsent: Type.Integer(),
})

export const ChargeOrder = Type.Object({
  port: Type.Integer(),
  path: Type.String(),
  connections: Type.Integer(),
  // Nothing new is sent afterwards; what is under way is waited for and not counted into the rate.
  seconds: Type.Number(),
  // At most so many a second; null for as many as are answered.
  perSecond: Type.Union([Type.Number(), Type.Null()]),
  consents: Type.Integer(),
  sessionKeys: Type.Array(Type.String()),
  feeMinor: Type.Integer(),
  // Opens every idempotency key of this order, and belongs to no other.
  keyPrefix: Type.String(),
  mix: Type.Union([Mix, Type.Null()]),
})

export const ChargeTally = Type.Object({
  // Answered in time, and so part of the rate.
  answersInTime: Type.Integer(),
  // All answers of this order, by what they said.
  approved: Type.Integer(),
  // With fees; what the database must have booked.
  approvedMinor: Type.Integer(),
  declined: Type.Integer(),
  hotApproved: Type.Integer(),
  hotRefused: Type.Integer(),
  // Keys that were sent twice and answered with the first answer.
  repeated: Type.Integer(),
  // Turned away by a gateway that had too much to do, before anything was done. No charge, and no fault.
  turnedAway: Type.Integer(),
  // Answers that were not what such a request must get, with an example.
  wrong: Type.Integer(),
  example: Type.String(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
})

export type Mix = Static<typeof Mix>
export type ChargeOrder = Static<typeof ChargeOrder>
export type ChargeTally = Static<typeof ChargeTally>
