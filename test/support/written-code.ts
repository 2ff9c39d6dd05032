import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const formPage = readFileSync(join(import.meta.dirname, '../../docs/hosted-form.md'), 'utf8')

// The code by which integrators decrypt what a form sends.
export type ReadResult = (text: string, key: string) => Readonly<Record<string, string>>

// A function that docs/hosted-form.md shows, as it is written there.
export async function writtenCode<Written>(name: string): Promise<Written> {
  const blocks = [...formPage.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code)
  const code = blocks.find((one) => one.includes(`export function ${name}(`))
  if (code === undefined) throw new Error(`The page about forms shows no ${name}`)
  const written: Readonly<Record<string, Written>> = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )
  const found = written[name]
  if (!found) throw new Error(`${name} is not exported`)
  return found
}
