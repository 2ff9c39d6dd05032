// The network has room for ten digits.
export const amountMaxMinor = 9_999_999_999n
