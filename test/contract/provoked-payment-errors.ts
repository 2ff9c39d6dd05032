import {
  call,
  card,
  chargeConsent,
  debitOf,
  newConsent,
  newDebit,
  newSale,
  newSchedule,
  type Provoking,
  sale,
  whileSql,
} from './error-shop.ts'

const missing = 999_999

export const provokedPaymentErrors: Provoking = {
  merchant_not_found: (shop) => call(shop, 'CardSale/Manual', { ...sale, MerchID: 9 }),
  alternate_not_allowed: async (shop) => {
    const consent = await newConsent(shop)
    const set = 'update account set allows_alternate_merchants = false'
    const reset = 'update account set allows_alternate_merchants = true'
    const ask = () => chargeConsent(shop, consent, { AlternateMerchID: 2 })
    return whileSql(shop, { set, reset }, { name: 'alternate_not_allowed', ask })
  },
  currency_differs: async (shop) => chargeConsent(shop, await newConsent(shop), { AlternateMerchID: 3 }),
  ach_not_taken: (shop) => call(shop, 'ACH/Sale', debitOf(3)),

  consent_not_found: (shop) => chargeConsent(shop, missing),
  consent_cancelled: async (shop) => {
    const ConsentID = await newConsent(shop)
    await call(shop, 'ConsentAnnual/Cancel', { ConsentID })
    return chargeConsent(shop, ConsentID)
  },
  consent_expired: async (shop) => {
    const consent = await newConsent(shop)
    await shop.sql(`update consent set ends_on = starts_on - 1 where consent_id = ${consent}`)
    return chargeConsent(shop, consent)
  },
  over_limit_per_charge: async (shop) => chargeConsent(shop, await newConsent(shop, { LimitPerCharge: 5 })),
  over_lifetime_limit: async (shop) => {
    const consent = await newConsent(shop, { LimitLifeTime: 15 })
    await chargeConsent(shop, consent)
    return chargeConsent(shop, consent)
  },
  card_expired: (shop) => call(shop, 'CardSale/Manual', { ...sale, ccCardInfo: { ...card, ExpYear: 2020 } }),
  consent_not_begun: async (shop) => {
    const consent = await newConsent(shop, { StartDate: '2090-01-01' })
    return chargeConsent(shop, consent)
  },
  not_charged: async (shop) => {
    const consent = await newConsent(shop)
    await shop.sql(`update vault_card
      set ciphertext = set_byte(ciphertext, 20, 255 - get_byte(ciphertext, 20))
      where card_id = (select card_id from consent where consent_id = ${consent})`)
    return chargeConsent(shop, consent)
  },

  fees_not_configured: (shop) =>
    call(shop, 'CardSale/Manual', { ...sale, Amounts: { BaseAmt: 10, Surcharge: 1 } }),
  total_mismatch: (shop) =>
    call(shop, 'CardSale/Manual', { ...sale, Amounts: { BaseAmt: 10, TotalAmt: 11 } }),

  schedule_not_found: (shop) => call(shop, 'RecurringSchedule/Cancel', { SchedID: missing }),
  schedule_not_open: async (shop) => {
    const SchedID = await newSchedule(shop)
    await call(shop, 'RecurringSchedule/Cancel', { SchedID })
    return call(shop, 'RecurringSchedule/Cancel', { SchedID })
  },
  schedule_listed_twice: (shop) =>
    call(shop, 'RecurringSchedule/ProcessScheduledPaymentsSelective', { SchedIDs: [1, 1] }),

  sale_not_open: async (shop) => {
    const TxID = await newSale(shop)
    await call(shop, 'CardSale/Void', { TxID })
    return call(shop, 'CardSale/Void', { TxID })
  },
  credit_over_sale: async (shop) =>
    call(shop, 'CardSale/ApplyCredit', { TxID: await newSale(shop), CreditAmount: 11 }),
  look_alike: (shop) => {
    const set = 'update merchant set look_alike_seconds = 3600 where merchant_number = 1'
    const reset = 'update merchant set look_alike_seconds = 0 where merchant_number = 1'
    const ask = () => call(shop, 'CardSale/Manual', { ...sale, PurchItems: { ClientRefID: 'alike' } })
    return whileSql(shop, { set, reset }, { name: 'look_alike', ask })
  },
  debit_not_voidable: async (shop) => {
    const TxID = await newDebit(shop)
    await call(shop, 'ACH/Void', { TxID })
    return call(shop, 'ACH/Void', { TxID })
  },
  debit_not_creditable: async (shop) => {
    const TxID = await newDebit(shop)
    await call(shop, 'ACH/Void', { TxID })
    return call(shop, 'ACH/ApplyCredit', { TxID, CreditAmount: 5 })
  },
  receipt_not_of_type: async (shop) => {
    const REFID = String(await newSale(shop))
    return call(shop, 'Receipt/ReceiptGenerate', { REFID, ReceiptType: 3, Recipient: 1 })
  },
  transaction_not_found: (shop) => call(shop, 'CardSale/Void', { TxID: missing }),

  no_international_record: (shop) => {
    const set = 'update merchant set is_international = false where merchant_number = 3'
    const reset = 'update merchant set is_international = true where merchant_number = 3'
    const ask = () => call(shop, 'Intl/QueryTransaction', { Query: '(B=3)' })
    return whileSql(shop, { set, reset }, { name: 'no_international_record', ask })
  },
  record_domestic: (shop) => call(shop, 'Intl/QueryTransaction', { Query: '(A=1)' }),
  token_not_found: (shop) => {
    const TokenID = '5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11'
    return call(shop, 'Intl/ProcPayment', { TokenID, ChargeAmt: 5 })
  },
  order_not_open: async (shop) => {
    const wish = { TokenID: shop.gateway.orders.token, ChargeAmt: 5 }
    const { TransID } = await call(shop, 'Intl/ProcPayment', wish)
    await call(shop, 'Intl/VoidCredit', { TransID, CreditAmt: 5 })
    return call(shop, 'Intl/VoidCredit', { TransID, CreditAmt: 5 })
  },
}
