import type { FormMasks } from '#capabilities/forms/form-options.ts'

// ZIP, amount, reference, e-mail and logos are shown, amount and reference as they are; payment with a
// message afterwards, or the way back to the merchant's page where there is one.
export function masksOr(
  given: Partial<FormMasks>,
  { redirects }: { readonly redirects: boolean },
): FormMasks {
  return {
    visible: given.visible ?? 0xa0e0,
    // Whoever says what is shown may want the reference typed.
    readOnly: given.readOnly ?? (given.visible === undefined ? 0x00c0 : 0x0040),
    styles: given.styles ?? 0x000a,
    submission: given.submission ?? (redirects ? 0x0201 : 0x0208),
  }
}
