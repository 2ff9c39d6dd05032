import { readFile } from 'node:fs/promises'
import { readStrictJson } from '#kernel/strict-json.ts'
import { hasCode } from '#platform/error-code.ts'

// A sandbox and a live installation never share a secret, so every file says which it was made for.
export type Mode = 'sandbox' | 'live'

export class KeyRingRefused extends Error {
  override readonly name = 'KeyRingRefused'
}

type Expected<Stored> = {
  readonly what: string
  readonly mode: Mode
  // Checked by a shape, so that a damaged file is told from one that is not there.
  readonly shape: { Check(value: unknown): value is Stored }
  readonly lossWithout: string
}

// null when there is no such file.
export async function readKeyFile<Stored extends { readonly mode: Mode }>(
  path: string,
  { what, mode, shape, lossWithout }: Expected<Stored>,
): Promise<Stored | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw new KeyRingRefused(`The ${what} ${path} cannot be read.`, { cause: error })
  }
  const read = readStrictJson(text)
  if (!read.ok || !shape.Check(read.value)) {
    throw new KeyRingRefused(
      `The ${what} ${path} is damaged. Restore it from your backup; without it ${lossWithout}.`,
    )
  }
  if (read.value.mode !== mode) {
    throw new KeyRingRefused(
      `The ${what} in ${path} was made for ${read.value.mode} mode and is never used in ${mode} mode. ` +
        'Set KEYS_DIR to another folder.',
    )
  }
  return read.value
}
