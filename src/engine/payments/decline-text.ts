const declineTexts: Readonly<Record<string, string>> = {
  '01': 'CALL ISSUER',
  '02': 'CALL ISSUER',
  '04': 'DECLINED: the issuer keeps the card',
  '05': 'DECLINED: the issuer gives no reason',
  '07': 'DECLINED: the issuer keeps the card',
  '10': 'DECLINED: only a part could be approved',
  '12': 'DECLINED: invalid transaction',
  '14': 'DECLINED: no such card',
  '15': 'DECLINED: no such issuer',
  '41': 'DECLINED: lost card',
  '43': 'DECLINED: stolen card',
  '46': 'DECLINED: closed account',
  '51': 'DECLINED: insufficient funds',
  '54': 'DECLINED: expired card',
  '57': 'DECLINED: not allowed with this card',
  '61': 'DECLINED: over the amount limit',
  '65': 'DECLINED: over the count limit',
  '82': 'DECLINED: wrong security code',
  '91': 'DECLINED: issuer unavailable',
  '96': 'DECLINED: processing error',
  R0: 'DECLINED: the payer has stopped this payment',
  R1: 'DECLINED: the payer has stopped all payments to this merchant',
  R3: 'DECLINED: the payer has stopped all payments to this merchant',
}

// What people are told about a decline.
export function declineText(code: string): string {
  return declineTexts[code] ?? `DECLINED ${code}`
}
