import type { Branded } from '#kernel/ids.ts'

export type Currency = Branded<string, 'Currency'>

// ISO 4217 as of November 2026: active codes by the number of their decimals. Funds, metals and test codes
// are left out. Intl is no source for this: its digits differ from the standard for HUF, IDR, IQD and a
// dozen more.
const codesByExponent: ReadonlyMap<number, string> = new Map([
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY
     COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF
     IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR
     MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG
     SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES
     WST XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
])

const exponents: ReadonlyMap<string, number> = new Map(
  [...codesByExponent].flatMap(([exponent, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, exponent]),
  ),
)

export function currencyCode(text: string): Currency | null {
  return exponents.has(text) ? (text as Currency) : null
}

export function exponentOf(currency: Currency): number {
  const exponent = exponents.get(currency)
  if (exponent === undefined) throw new Error(`Broken promise: ${currency} is in the table of currencies`)
  return exponent
}

// All currencies with so many decimals.
export function currenciesWith(exponent: number): readonly string[] {
  return [...exponents].filter(([, digits]) => digits === exponent).map(([code]) => code)
}
