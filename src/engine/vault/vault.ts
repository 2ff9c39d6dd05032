import type { CardKind } from '#engine/acquirers/acquirer.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import type { CardNumber } from '#kernel/card-number.ts'
import type { BankAccountNumber } from '#kernel/bank-account-number.ts'
import type { AccountId, Branded } from '#kernel/ids.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

export type CardId = Branded<bigint, 'CardId'>

// A card is found only together with its account.
export type CardRef = { readonly account: AccountId; readonly cardId: CardId }

// There is no place for a security code or a track: they are never stored.
export type NewCard = {
  readonly account: AccountId
  readonly number: CardNumber
  readonly expiry: CardExpiry
  readonly kind: CardKind
}

export type CardInTransit = {
  readonly number: CardNumber
  readonly expiry: CardExpiry
  readonly securityCode: Secret | null
}

// What may be shown of a card.
export type StoredCard = CardRef & {
  readonly firstSix: string
  readonly lastFour: string
  readonly numberLength: number
  readonly brand: CardBrand
  readonly kind: CardKind
  readonly expiry: CardExpiry
  readonly isErased: boolean
}

// A card as it lies in the database. It can be carried about, and opened by the vault alone.
export type CardAtRest = CardRef & {
  readonly sealed: Buffer
  readonly wrapped: Buffer
  readonly keyVersion: number
  readonly expiry: CardExpiry
}

// A card that cannot be read is told apart from the others of its batch, so that it fails nobody else.
export type CardOpening =
  | { readonly kind: 'opened'; readonly number: CardNumber; readonly expiry: CardExpiry }
  | { readonly kind: 'unreadable'; readonly fault: CardUnreadable }

// Nobody but an operator with a backup can mend it.
export class CardUnreadable extends Error {
  override readonly name = 'CardUnreadable'
}

export type BankAccountId = Branded<bigint, 'BankAccountId'>

export type BankAccountRef = { readonly account: AccountId; readonly bankAccountId: BankAccountId }

// What may be shown of a bank account.
export type BankAccountFacts = {
  readonly routingNumber: string
  readonly type: 'checking' | 'savings'
  readonly isBusiness: boolean
}

export type NewBankAccount = BankAccountFacts & {
  readonly account: AccountId
  readonly number: BankAccountNumber
}

export type BankAccountOpening =
  | (BankAccountFacts & { readonly kind: 'opened'; readonly number: BankAccountNumber })
  | { readonly kind: 'unreadable'; readonly fault: CardUnreadable }

// The port of the vault. Numbers of cards and bank accounts go in and come out here and nowhere else; keys
// never do. Answers come in the order of what was asked.
export type Vault = {
  // In the caller's transaction: a card is stored with what refers to it, or not at all.
  storeCards(
    tx: Tx,
    storing: { readonly cards: readonly NewCard[]; readonly at: Temporal.Instant },
  ): Promise<readonly StoredCard[]>
  // null: the account has no such card, or it is erased.
  openCards(db: Queryable, cards: readonly CardRef[]): Promise<readonly (CardOpening | null)[]>
  // The same for a card that was read together with what refers to it.
  open(card: CardAtRest): Promise<CardOpening>
  // null: the account has no such card. What is shown of an erased card stays.
  describeCards(db: Queryable, cards: readonly CardRef[]): Promise<readonly (StoredCard | null)[]>
  // false: the account has no such card, or it is erased.
  changeExpiry(db: Queryable, change: CardRef & { readonly expiry: CardExpiry }): Promise<boolean>
  // In the caller's transaction. Answers which cards were erased by it.
  eraseCards(
    tx: Tx,
    erasing: { readonly cards: readonly CardRef[]; readonly at: Temporal.Instant },
  ): Promise<readonly CardId[]>
  // What merchants know a card by: the same for the same card within an account. The second takes the
  // fingerprint that is kept with a stored card.
  cardToken(card: Pick<NewCard, 'account' | 'number'>): string
  cardTokenOf(fingerprint: string): string
  // A card in hand that must survive a visit to the payer's bank. It is stored nowhere: its bearer brings it
  // back, and only what it is for opens it. null: it was changed, or is for something else.
  sealInTransit(card: CardInTransit, purpose: string): string
  openInTransit(sealed: string, purpose: string): CardInTransit | null
  // In the caller's transaction, like cards.
  storeBankAccounts(
    tx: Tx,
    storing: { readonly accounts: readonly NewBankAccount[]; readonly at: Temporal.Instant },
  ): Promise<readonly BankAccountId[]>
  // null: the account has no such bank account, or it is erased.
  openBankAccounts(
    db: Queryable,
    accounts: readonly BankAccountRef[],
  ): Promise<readonly (BankAccountOpening | null)[]>
  // In the caller's transaction. Answers which were erased by it.
  eraseBankAccounts(
    tx: Tx,
    erasing: { readonly accounts: readonly BankAccountRef[]; readonly at: Temporal.Instant },
  ): Promise<readonly BankAccountId[]>
}
