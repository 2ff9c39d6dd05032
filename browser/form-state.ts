// What the server says of the form now.
export type State = {
  readonly standing: string
  readonly k: string
  readonly secondsLeft: number
  readonly isExtended: boolean
  // What the newest try was answered; null where it was not declined.
  readonly declined: { readonly title: string; readonly text: string } | null
}

// null: the server was not heard, or something else answered for it.
export async function stateBy(asking: Promise<Response>): Promise<State | null> {
  try {
    const answer = await asking
    return answer.ok ? await answer.json() : null
  } catch {
    return null
  }
}

export const askState = (address: string): Promise<State | null> =>
  stateBy(fetch(address, { credentials: 'same-origin', signal: AbortSignal.timeout(10_000) }))
