import type { TSchema } from 'typebox'

// The name that an object schema gives itself. A title that is a sentence is none.
export function titleOf(schema: TSchema): string | null {
  const title = 'title' in schema ? schema.title : '$id' in schema ? schema.$id : null
  return typeof title === 'string' && /^[A-Za-z_][\w.-]*$/.test(title) ? title : null
}
