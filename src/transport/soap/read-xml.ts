import { SaxesParser, type SaxesTagNS } from 'saxes'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { bodyBytesMax } from '#transport/call-operation.ts'

type XmlAttribute = { readonly namespace: string; readonly name: string; readonly value: string }

export type XmlElement = {
  readonly namespace: string
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  // The text directly inside, without that of the children.
  readonly text: string
}

type GrowingElement = XmlElement & { readonly children: GrowingElement[]; text: string }

const depthMax = 32
// The longest list has 10,000 items.
const elementsMax = 20_000
// Of one element. None of a call has more than a few.
const attributesMax = 100
const referencesMax = 10_000
const documentType = 'a document type is not allowed'
const problemLengthMax = 200
// A problem ends the reading at the end of the piece that shows it. Saxes offers no other way to stop than
// throwing.
const pieceLength = 2_048

// Reads a whole document strictly: no document type and so no entities of its own, no processing
// instructions.
export function readXml(document: string): Result<XmlElement, 'unreadable'> {
  if (document.length > bodyBytesMax) return unreadable(`the document is longer than ${bodyBytesMax} bytes`)
  if (opensWithDocumentType(document)) return unreadable(documentType)
  if (hasTooManyReferences(document)) return unreadable(`more than ${referencesMax} character references`)

  const reading = startReading()
  for (let at = 0; at < document.length && !reading.problem(); at += pieceLength) {
    reading.parser.write(document.slice(at, at + pieceLength))
  }
  if (!reading.problem()) reading.parser.close()

  const problem = reading.problem()
  const root = reading.root()
  if (problem !== null || !root) return unreadable(problem ?? 'there is no element')
  return ok(root)
}

function startReading() {
  const parser = new SaxesParser({ xmlns: true })
  const open: GrowingElement[] = []
  let root: GrowingElement | null = null
  let problem: string | null = null
  let count = 0
  let attributes = 0

  const fail = (what: string): void => {
    problem ??= what.slice(0, problemLengthMax)
  }
  const addText = (text: string): void => {
    const parent = open.at(-1)
    if (parent) parent.text += text
  }
  parser.on('error', (error) => fail(error.message))
  parser.on('doctype', () => fail(documentType))
  parser.on('processinginstruction', () => fail('processing instructions are not allowed'))
  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== '1.0') fail('the XML version must be 1.0')
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) fail('the encoding must be UTF-8')
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > attributesMax) fail(`an element with more than ${attributesMax} attributes`)
  })
  parser.on('opentag', (tag) => {
    attributes = 0
    if (problem !== null) return
    if (open.length >= depthMax) return fail(`elements nest deeper than ${depthMax} levels`)
    count += 1
    if (count > elementsMax) return fail(`more than ${elementsMax} elements`)
    const element = elementOf(tag)
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    open.pop()
  })

  return { parser, root: (): XmlElement | null => root, problem: (): string | null => problem }
}

function elementOf(tag: SaxesTagNS): GrowingElement {
  const attributes = Object.values(tag.attributes).map(({ uri, local, value }) => ({
    namespace: uri,
    name: local,
    value,
  }))
  return { namespace: tag.uri, name: tag.local, attributes, children: [], text: '' }
}

// Saxes reads a document type to its end before it tells of it, and that end can be far away.
function opensWithDocumentType(document: string): boolean {
  const rootAt = document.search(/<[^!?]/)
  return document.slice(0, rootAt < 0 ? document.length : rootAt).includes('<!DOCTYPE')
}

function hasTooManyReferences(document: string): boolean {
  let count = 0
  for (let at = document.indexOf('&#'); at >= 0; at = document.indexOf('&#', at + 2)) {
    count += 1
    if (count > referencesMax) return true
  }
  return false
}

function unreadable(problem: string) {
  return refuse('unreadable', { problem })
}
