import type { FormMasks } from '#capabilities/forms/form-options.ts'

// ZIP, amount, e-mail and logos are shown, the amount as it is; payment with a message afterwards, or the way
// back to the merchant's page where there is one.
export function masksOr(
  given: Partial<FormMasks>,
  { redirects }: { readonly redirects: boolean },
): FormMasks {
  return {
    visible: given.visible ?? 0xa060,
    readOnly: given.readOnly ?? 0x0040,
    styles: given.styles ?? 0x000a,
    submission: given.submission ?? (redirects ? 0x0201 : 0x0208),
  }
}
