import { hash } from 'node:crypto'
import { type PictureFile, type PictureKind, readPicture } from '#capabilities/forms/picture-file.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { SendRequest } from '#platform/outbound/send-request.ts'

export type FetchedPicture = Omit<PictureFile, 'ending'> & {
  readonly kind: PictureKind
  readonly name: string
  readonly content: Buffer
  readonly source: string
}

type Wanted = { readonly kind: PictureKind; readonly url: string }

const digits = 32

// Payers' browsers never ask the merchant's own server: the picture is fetched once, judged by its bytes, and
// served from here under a name that says what it holds.
export async function fetchPicture(
  { sendRequest }: { readonly sendRequest: SendRequest },
  { kind, url }: Wanted,
): Promise<Result<FetchedPicture, 'picture_refused'>> {
  const no = (problem: string) => refuse('picture_refused', { kind, problem })
  const headers = { accept: 'image/png, image/jpeg, image/webp', 'accept-encoding': 'identity' }
  const request = { url, method: 'GET', headers, body: Buffer.alloc(0), keepsAnswer: true } as const
  const outcome = await sendRequest(request)
  if (outcome.kind === 'failed') return no(`could not be fetched: ${outcome.because}`)
  const { status, body: content } = outcome
  if (status >= 300 && status < 400)
    return no(`leads elsewhere (${status}); name the address that it leads to`)
  if (status !== 200) return no(`was answered with ${status}`)
  const file = readPicture(content, kind)
  if (typeof file === 'string') return no(file)
  const { ending, width, height } = file
  const name = `${hash('sha256', content).slice(0, digits)}.${ending}`
  return ok({ kind, name, width, height, content, source: url })
}
