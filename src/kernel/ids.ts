// Ids are branded, so that a merchant's number cannot be passed where an account's is meant. Only stores
// and contracts make them.
declare const brand: unique symbol
export type Branded<T, Name extends string> = T & { readonly [brand]: Name }

export type AccountId = Branded<bigint, 'AccountId'>
export type ApiUserId = Branded<bigint, 'ApiUserId'>
export type TokenId = Branded<bigint, 'TokenId'>
// Relative to its account: 1, 2, 3 and so on.
export type MerchantNumber = Branded<number, 'MerchantNumber'>

export const accountId = (value: bigint): AccountId => value as AccountId
export const apiUserId = (value: bigint): ApiUserId => value as ApiUserId
export const tokenId = (value: bigint): TokenId => value as TokenId
export const merchantNumber = (value: number): MerchantNumber => value as MerchantNumber
