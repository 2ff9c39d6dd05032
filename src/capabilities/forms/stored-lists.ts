import type { CardBrand } from '#kernel/card-brand.ts'

// Lists that stand in a row as words with blanks between them.

export function wordsIn(line: string): readonly string[] {
  return line.split(' ').filter((word) => word !== '')
}

export function brandsIn(line: string): readonly CardBrand[] {
  return wordsIn(line).filter((word): word is CardBrand => word !== '')
}
