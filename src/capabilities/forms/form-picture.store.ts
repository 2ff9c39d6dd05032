import type { FormPicture, PictureKind } from '#capabilities/forms/picture-file.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { bytea, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const listFormPicturesStatement = statement(
  'list_form_pictures',
  [int8, int4],
  { kind: text, name: text, width: int4, height: int4 },
  `select kind, name, width, height from form_picture where account_id = $1 and merchant_number = $2`,
)

const findFormPictureStatement = statement(
  'find_form_picture',
  [text],
  { content: bytea },
  `select content from form_picture where name = $1 limit 1`,
)

const putFormPictureStatement = statement(
  'put_form_picture',
  [int8, int4, text, text, int4, int4, bytea, text, timestamptz],
  {},
  `insert into form_picture (account_id, merchant_number, kind, name, width, height, content, source,
     fetched_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (account_id, merchant_number, kind)
   do update set name = excluded.name, width = excluded.width, height = excluded.height,
     content = excluded.content, source = excluded.source, fetched_at = excluded.fetched_at`,
)

const removeFormPictureStatement = statement(
  'remove_form_picture',
  [int8, int4, text],
  {},
  `delete from form_picture where account_id = $1 and merchant_number = $2 and kind = $3`,
)

type RecordKey = { readonly account: AccountId; readonly merchant: MerchantNumber }

export async function listPictures(
  db: Queryable,
  { account, merchant }: RecordKey,
): Promise<readonly FormPicture[]> {
  const rows = await db.run(listFormPicturesStatement, [account, merchant])
  return rows.map(({ kind, ...row }) => ({ ...row, kind: kind === 'logo' ? 'logo' : 'favicon' }))
}

export async function findContent(db: Queryable, name: string): Promise<Buffer | null> {
  const [row] = await db.run(findFormPictureStatement, [name])
  return row?.content ?? null
}

type NewPicture = RecordKey &
  FormPicture & {
    readonly content: Buffer
    readonly source: string
    readonly at: Temporal.Instant
  }

export async function putPicture(db: Queryable, picture: NewPicture): Promise<void> {
  const { account, merchant, kind, name, width, height, content, source, at } = picture
  const values = [account, merchant, kind, name, width, height, content, source, at] as const
  await db.run(putFormPictureStatement, values)
}

export async function removePicture(
  db: Queryable,
  { account, merchant, kind }: RecordKey & { readonly kind: PictureKind },
): Promise<void> {
  await db.run(removeFormPictureStatement, [account, merchant, kind])
}
