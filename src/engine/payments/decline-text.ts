const declineTexts: Readonly<Record<string, string>> = {
  '01': 'CALL ISSUER',
  '02': 'CALL ISSUER',
  '10': 'DECLINED: only a part could be approved',
  '41': 'DECLINED: lost card',
  '43': 'DECLINED: stolen card',
  '51': 'DECLINED: insufficient funds',
  '54': 'DECLINED: expired card',
  '61': 'DECLINED: over the amount limit',
  '65': 'DECLINED: over the count limit',
  '82': 'DECLINED: wrong security code',
  '91': 'DECLINED: issuer unavailable',
  '96': 'DECLINED: processing error',
}

// What people are told about a decline.
export function declineText(code: string): string {
  return declineTexts[code] ?? `DECLINED ${code}`
}
