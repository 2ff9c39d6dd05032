// https://shop.example, as a merchant registers it; null when it is none.
export function parseOrigin(text: string, { isSandbox }: { readonly isSandbox: boolean }): string | null {
  if (!URL.canParse(text)) return null
  const { origin, protocol, pathname, search, hash, username } = new URL(text)
  const isBare = pathname === '/' && search === '' && hash === '' && username === ''
  const isSafe = protocol === 'https:' || (isSandbox && protocol === 'http:')
  return isBare && isSafe ? origin : null
}
