import { facts, isFramed } from './page-facts.ts'

// Messages go to registered origins only.
export function tellParent(message: unknown): void {
  if (!isFramed) return
  // Where the browser says who embeds us, nobody else is tried.
  const actual = window.location.ancestorOrigins?.[0]
  const origins = (facts.origins ?? []).filter((origin) => actual === undefined || origin === actual)
  for (const origin of origins) window.parent.postMessage(message, origin)
}

// As the payer reads it.
export function tellProblem(text: string): void {
  if (facts.tells && text !== '') tellParent(`ERROR=${text}`)
}

export function tellHeight(): void {
  if (isFramed) tellParent({ type: 'tillgate:height', height: document.documentElement.offsetHeight })
}
