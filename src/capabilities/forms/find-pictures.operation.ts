import { findContent, listPictures } from '#capabilities/forms/form-picture.store.ts'
import type { FormPicture, FormPictures } from '#capabilities/forms/picture-file.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable }

export async function findPictures(
  { db }: Needs,
  record: { readonly account: AccountId; readonly merchant: MerchantNumber },
): Promise<FormPictures> {
  const all = await listPictures(db, record)
  const ofKind = (wanted: FormPicture['kind']) => all.find(({ kind }) => kind === wanted) ?? null
  return { logo: ofKind('logo'), favicon: ofKind('favicon') }
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
}

// By the last part of its address; null where there is none.
export async function findPicture(
  { db }: Needs,
  name: string,
): Promise<{ readonly type: string; readonly content: Buffer } | null> {
  const [, ending = ''] = /^[0-9a-f]{32}\.([a-z]{3,4})$/.exec(name) ?? []
  const type = types[ending]
  const content = type === undefined ? null : await findContent(db, name)
  return type !== undefined && content ? { type, content } : null
}
