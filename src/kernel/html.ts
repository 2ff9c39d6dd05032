// Markup that is safe to send: made only by the html tag, which escapes everything that is not markup itself.
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

type Piece = Html | string | number | bigint | readonly Piece[]

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.reduce((text, part, at) => `${text}${printPiece(pieces[at - 1] ?? '')}${part}`))
}

function printPiece(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (isList(piece)) return piece.map(printPiece).join('')
  return escapeText(String(piece))
}

function isList(piece: Piece): piece is readonly Piece[] {
  return Array.isArray(piece)
}

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
