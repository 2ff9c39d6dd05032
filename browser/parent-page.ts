import { facts, isFramed } from './page-facts.ts'

// Messages go to registered origins only.
export function tellParent(message: unknown): void {
  if (isFramed) for (const origin of facts.origins ?? []) window.parent.postMessage(message, origin)
}

export function tellHeight(): void {
  if (isFramed) tellParent({ type: 'tillgate:height', height: document.documentElement.offsetHeight })
}
