type Mark = '(' | ')' | '&&' | '||'
type Lexeme = {
  readonly kind: Mark | 'letter' | 'operator' | 'number' | 'text' | 'unclosed' | 'unknown' | 'end'
  // Letters and LIKE in capitals, a text without its quotes; everything else as written.
  readonly text: string
  // Where the next one may begin.
  readonly end: number
}

// Columns count from 1, in characters as people see them.
export type Token = Lexeme & { readonly column: number }

// What is read of a text. A test counts how often.
export type Characters = Pick<string, 'length' | 'charAt' | 'slice'>

// One pass from left to right; each character is looked at a fixed number of times. What is no token becomes
// an unknown one, so that the parser alone says what was expected.
export function tokenize(source: Characters): readonly Token[] {
  const tokens: Token[] = []
  let column = 1
  let from = 0
  do {
    const at = skipBlanks(source, from)
    const lexeme = lexemeAt(source, at)
    column += at - from
    tokens.push({ ...lexeme, column })
    column += Array.from(source.slice(at, lexeme.end)).length
    from = lexeme.end
  } while (tokens.at(-1)?.kind !== 'end')
  return tokens
}

function lexemeAt(source: Characters, at: number): Lexeme {
  const first = source.charAt(at)
  if (first === '') return { kind: 'end', text: '', end: at }
  if (first === '(' || first === ')') return { kind: first, text: first, end: at + 1 }
  if (first === "'") return textAt(source, at)
  if (isDigit(first) || first === '-') return numberAt(source, at)
  if (isLetter(first)) return wordAt(source, at)
  return markAt(source, at)
}

// The longer ones first: <> begins like <.
const comparisons = ['<>', '<=', '>=', '=', '<', '>']

function markAt(source: Characters, at: number): Lexeme {
  const two = source.slice(at, at + 2)
  if (two === '&&' || two === '||') return { kind: two, text: two, end: at + 2 }
  const operator = comparisons.find((one) => two.startsWith(one))
  if (operator === undefined) return unknownAt(source, at)
  return { kind: 'operator', text: operator, end: at + operator.length }
}

// Letters of the charts stand alone, also directly before LIKE: (DLIKE'%son').
function wordAt(source: Characters, at: number): Lexeme {
  const four = source.slice(at, at + 4).toUpperCase()
  if (four === 'LIKE') return { kind: 'operator', text: 'LIKE', end: at + 4 }
  return { kind: 'letter', text: four.charAt(0), end: at + 1 }
}

// A quote inside a text is doubled.
function textAt(source: Characters, at: number): Lexeme {
  const pieces: string[] = []
  let begin = at + 1
  for (let place = begin; place < source.length; place++) {
    if (source.charAt(place) !== "'") continue
    pieces.push(source.slice(begin, place))
    if (source.charAt(place + 1) !== "'") return { kind: 'text', text: pieces.join("'"), end: place + 1 }
    place += 1
    begin = place + 1
  }
  return { kind: 'unclosed', text: '', end: source.length }
}

function numberAt(source: Characters, at: number): Lexeme {
  const whole = afterDigits(source, source.charAt(at) === '-' ? at + 1 : at)
  if (!isDigit(source.charAt(whole - 1))) return unknownAt(source, at)
  const fraction = source.charAt(whole) === '.' ? afterDigits(source, whole + 1) : whole
  const end = fraction > whole + 1 ? fraction : whole
  return { kind: 'number', text: source.slice(at, end), end }
}

function afterDigits(source: Characters, from: number): number {
  let at = from
  while (isDigit(source.charAt(at))) at += 1
  return at
}

function skipBlanks(source: Characters, from: number): number {
  let at = from
  while (source.charAt(at) === ' ') at += 1
  return at
}

function unknownAt(source: Characters, at: number): Lexeme {
  const [text = ''] = source.slice(at, at + 2)
  return { kind: 'unknown', text, end: at + text.length }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

function isLetter(character: string): boolean {
  return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z')
}
