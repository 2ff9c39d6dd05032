import type { OpenTries } from '#capabilities/form-payments/card-testing.ts'
import type { FormId } from '#capabilities/forms/form.ts'

type Marks = { readonly [Name in keyof OpenTries]?: string }

// Tries whose outcome nobody knows yet, by whatever they have in common: somebody who tries a hundred cards
// at once must not have tried them all before the first decline is counted. In memory, for this process
// alone.
export class TriesUnderWay {
  readonly #forms = new Map<string, readonly FormId[]>()

  // Answers of how many other forms there are tries under way, by each mark. To be followed by leave().
  enter(form: FormId, marks: Marks): OpenTries {
    const open = Object.entries(marks).map(([name, mark]) => {
      const before = this.#forms.get(mark) ?? []
      this.#forms.set(mark, [...before, form])
      // A form lets one try of its own through, however many come.
      return [name, new Set(before.filter((one) => one !== form)).size] as const
    })
    return Object.fromEntries(open)
  }

  leave(form: FormId, marks: Marks): void {
    for (const mark of Object.values(marks)) {
      const forms = this.#forms.get(mark) ?? []
      const rest = forms.toSpliced(forms.indexOf(form), 1)
      if (rest.length > 0) this.#forms.set(mark, rest)
      else this.#forms.delete(mark)
    }
  }
}
