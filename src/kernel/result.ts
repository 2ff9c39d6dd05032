// Three kinds of "no" exist. An outcome (the issuer declined) is an ok value. A refusal (we will not do
// what was asked) is returned. A fault (a bug, a broken machine) is thrown and caught once, in
// transport/call-operation.ts.
export type Ok<T> = { readonly ok: true; readonly value: T }
export type Refused<Kind extends string, Known = never> = {
  readonly ok: false
  readonly refusal: Refusal<Kind, Known>
}
export type Refusal<Kind extends string, Known = unknown> = {
  readonly kind: Kind
  readonly details: Details
  // What is known nonetheless and belongs into the answer, such as the owner of an expired token.
  readonly known?: Known
  // The same where nothing was recorded: under the key of the call, an earlier one is still the answer.
  readonly found?: Known
}
export type Result<T, Kind extends string, Known = never> = Ok<T> | Refused<Kind, Known>

// What fills the blanks of a refusal's sentence: which member, which number.
export type Details = Readonly<Record<string, string | number | bigint>>

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value }
}

export function refuse<const Kind extends string, Known = never>(
  kind: Kind,
  details: Details = {},
  known?: Known,
): Refused<Kind, Known> {
  return { ok: false, refusal: { kind, details, ...(known === undefined ? {} : { known }) } }
}
