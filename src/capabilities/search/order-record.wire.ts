import { Type } from 'typebox'
import type { FoundOrderRecord } from '#capabilities/search/found-order.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { WireWord, cardTypes } from '#capabilities/wire/published.wire.ts'
import { orNull, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { orderNumber } from '#engine/orders/order.ts'
import { printMoment } from '#kernel/calendar.ts'

const statuses = [
  'PENDING',
  'REDIRECT',
  '3DS',
  'SETTLED',
  'DECLINED',
  'VOID',
  'REFUND',
  'REVERSAL',
  'CHARGEBACK',
]

// Spec "International transaction record".
export const OrderRecord = Type.Object(
  {
    ID: Type.Integer({ description: 'The record; 0 while its charge is under way.' }),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    Action: WireWord(['SALE', 'RECURRING_SALE', 'CREDITVOID'], 'What was done.'),
    Result: WireWord(['SUCCESS', 'DECLINED', 'REDIRECT', 'ACCEPTED', 'ERROR'], 'How it ended.'),
    Status: WireWord(statuses, 'Where its money is.'),
    Amount: Type.Number({ description: 'The amount of this step.' }),
    Currency: orNull(WireText(3, 'The currency of the merchant record.')),
    Card: WireText(4, 'The last four digits of the card.'),
    CardType: WireWord(cardTypes, 'The network of the card; empty where it is not known.'),
    Card_Expiration_Date: WireText(7, 'MM/YYYY'),
    Card_Token: WireText(64, 'The same for the same card within the account.'),
    Recurring_Token: WireText(36, 'The consent token; empty when the card may not be charged again by one.'),
    Order_ID: WireText(8, 'The order that this is a step of.'),
    Trans_ID: WireText(36, 'The transaction; the same for all steps of an order.'),
    Trans_Date: WireText(20, "When, in the merchant record's zone."),
    CreatedOn: WireMoment('The same as a moment.'),
    Decline_Reason: WireText(200, 'Why not, for people; empty otherwise.'),
    Descriptor: WireText(22, "What the payer's statement says."),
    REFID: WireText(75, 'The REF_ID that was sent.'),
    RPGUID: WireText(75, 'The RPGUID that was sent.'),
    Schedule_ID: orNull(Type.Integer({ description: 'The scheduled payment that charged it.' })),
    bank_date: orNull(WireMoment('The bank cut-off by which its money moved.')),
    chargeback_date: orNull(WireMoment("When the payer's bank took it back.")),
    reason_code: orNull(WireText(12, 'Why it did.')),
    Fname: WireText(75, 'First name of the payer.'),
    Lname: WireText(100, 'Last name or company of the payer.'),
    Email: WireText(150, 'E-mail.'),
    Phone: WireText(32, 'Phone.'),
    Address: WireText(202, 'Street.'),
    City: WireText(75, 'City.'),
    State: WireText(75, 'State.'),
    PostalCode: WireText(20, 'Postal code.'),
    Country: WireText(75, 'Country.'),
  },
  { title: 'InternationalRecord' },
)

export function orderRecordToWire(found: FoundOrderRecord): WireOf<typeof OrderRecord> {
  const { payer } = found
  return {
    ID: Number(found.recordId),
    MerchID: found.merchantNumber,
    Action: found.action,
    Result: found.result,
    Status: found.status,
    Amount: moneyToWire(found.amount),
    Currency: found.amount.currency,
    Card: found.lastFour,
    CardType: found.brand,
    Card_Expiration_Date: found.expiry.replace('/', '/20'),
    Card_Token: found.cardToken,
    Recurring_Token: found.consentToken,
    Order_ID: orderNumber(found.orderId),
    Trans_ID: found.transactionId,
    Trans_Date: displayDate(found.createdAt, found.timeZone),
    CreatedOn: printMoment(found.createdAt),
    Decline_Reason: found.declineReason,
    Descriptor: found.descriptor,
    REFID: found.clientRef,
    RPGUID: found.guid,
    Schedule_ID: found.instalmentId === null ? null : Number(found.instalmentId),
    bank_date: found.bankAt && printMoment(found.bankAt),
    chargeback_date: found.chargebackAt && printMoment(found.chargebackAt),
    reason_code: found.reasonCode,
    Fname: payer.firstName,
    Lname: payer.lastName,
    Email: payer.email,
    Phone: payer.phone,
    Address: payer.street,
    City: payer.city,
    State: payer.state,
    PostalCode: payer.zip,
    Country: payer.country,
  }
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

// Sep 11 2026  4:16PM: the hour is padded with a blank to two characters.
export function displayDate(at: Temporal.Instant, zone: string): string {
  const { year, month, day, hour, minute } = at.toZonedDateTimeISO(zone)
  const shown = String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, ' ')
  const half = hour < 12 ? 'AM' : 'PM'
  return `${months[month - 1]} ${day} ${year} ${shown}:${String(minute).padStart(2, '0')}${half}`
}
