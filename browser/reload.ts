import { form } from './page-facts.ts'

// Where nobody answers, the browser shows a page of its own, and stays there for good. So nothing here goes
// anywhere by itself before it has asked. What a proxy says for a gateway that is away is no answer either.
export async function isAnswered(address: string | URL): Promise<boolean> {
  try {
    const { status } = await fetch(address, {
      method: 'HEAD',
      credentials: 'same-origin',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    return status < 500
  } catch {
    return false
  }
}

// Whether the page is on its way to show what is so now. To ask first takes a while, in which a payer may
// have begun to pay.
export async function reload(mayLeave = () => true): Promise<boolean> {
  // Other sites' pages may keep our cookie from being sent, so inside them the form's address says who pays.
  const secret = form && new URL(form.action).searchParams.get('b')
  const url = new URL(location.href)
  if (secret) url.searchParams.set('b', secret)
  if (!(await isAnswered(url)) || !mayLeave()) return false
  location.replace(url)
  return true
}
