import { type Html, html } from '#kernel/html.ts'

// Our own pages of docs/, as far as they use Markdown: headings, paragraphs, lists, tables, code, links, bold
// and slanted words. Whatever else is written comes out as its text, but for remarks to whoever edits it.

export type Written = { readonly title: string; readonly body: Html }

export function renderMarkdown(source: string): Written {
  const blocks = blocksOf(source.split('\n'))
  const heading = blocks.find((block) => block[0]?.startsWith('# '))
  return { title: heading?.[0]?.slice(2) ?? 'Docs', body: html`${blocks.map(renderBlock)}` }
}

type Block = readonly string[]

// Lines that belong together: those between blank ones, and those between two fences.
function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: string[][] = []
  let open: string[] = []
  let isFenced = false
  const close = () => {
    if (open.length > 0) blocks.push(open)
    open = []
  }
  for (const line of lines) {
    const isFence = line.startsWith('```')
    if (isFence && !isFenced) close()
    if (line.trim() === '' && !isFenced) close()
    else open.push(line)
    if (isFence && isFenced) close()
    if (isFence) isFenced = !isFenced
  }
  close()
  return blocks
}

function renderBlock(block: Block): Html {
  const [first = ''] = block
  if (first.startsWith('```')) return renderCode(block)
  if (first.startsWith('<!--')) return html``
  if (first.startsWith('# ')) return html`<h1>${inline(first.slice(2))}</h1>`
  if (first.startsWith('## ')) return html`<h2 id="${partOf(first.slice(3))}">${inline(first.slice(3))}</h2>`
  if (first.startsWith('### ')) return html`<h3 id="${partOf(first.slice(4))}">${inline(first.slice(4))}</h3>`
  if (first.startsWith('|')) return renderTable(block)
  if (first.startsWith('- ')) return html`<ul>${itemsOf(block, /^- /m)}</ul>`
  if (first.startsWith('1. ')) return html`<ol>${itemsOf(block, /^\d+\. /m)}</ol>`
  return html`<p>${inline(block.join(' '))}</p>`
}

// What may have to be scrolled can be reached by the keyboard.
function renderCode(block: Block): Html {
  const lines = block.slice(1, -1).join('\n')
  return html`<pre tabindex="0" role="group" aria-label="Example"><code>${lines}</code></pre>`
}

// So many columns stand beside each other on a phone. Of a table with more, each row becomes a list there,
// whose cells name their columns; the roles say that it is a table all the same.
const columnsBesideMax = 2

function renderTable([head = '', , ...rows]: Block): Html {
  const columns = cellsOf(head)
  const body = rows.map(
    (row) => html`<tr role="row">${cellsOf(row).map((cell, at) => renderCell(cell, columns[at]))}</tr>`,
  )
  const kind = columns.length > columnsBesideMax ? html` class="listed"` : ''
  return html`<table role="table"${kind}>
    <thead role="rowgroup"><tr role="row">${columns.map(
      (cell) => html`<th scope="col" role="columnheader">${inline(cell)}</th>`,
    )}</tr></thead>
    <tbody role="rowgroup">${body}</tbody></table>`
}

function renderCell(cell: string, column = ''): Html {
  const name = column.replaceAll(/[`*]/g, '')
  return html`<td role="cell" data-column="${name}"><span>${inline(cell)}</span></td>`
}

function cellsOf(row: string): readonly string[] {
  return row
    .replaceAll('\\|', '\u0000')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('\u0000', '|').trim())
}

// What a link to a heading calls it, as everywhere where Markdown is read.
function partOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

// A line that begins with a blank goes on with the item above.
function itemsOf(block: Block, mark: RegExp): readonly Html[] {
  const [, ...items] = block.join('\n').split(mark)
  return items.map((item) => html`<li>${inline(item.trim().replaceAll(/\s+/g, ' '))}</li>`)
}

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|(?<!\w)_([^_]+)_(?!\w)|\[([^\]]+)\]\(([^)]+)\)/g

function inline(text: string): readonly (Html | string)[] {
  const pieces: (Html | string)[] = []
  let from = 0
  for (const match of text.matchAll(marks)) {
    const [whole, code, bold, slanted, label = '', target = ''] = match
    pieces.push(text.slice(from, match.index))
    if (code !== undefined) pieces.push(html`<code>${code}</code>`)
    else if (bold !== undefined) pieces.push(html`<b>${inline(bold)}</b>`)
    else if (slanted !== undefined) pieces.push(html`<i>${inline(slanted)}</i>`)
    else pieces.push(linkTo(label, target))
    from = match.index + whole.length
  }
  return [...pieces, text.slice(from)]
}

// Only pages that the gateway serves can be reached from here; the others are named.
function linkTo(label: string, target: string): Html {
  const words = inline(label)
  if (target.startsWith('https://') || target.startsWith('#')) return html`<a href="${target}">${words}</a>`
  const [, page = '', part = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(target) ?? []
  const address = addressOf(page)
  return address === null ? html`${words}` : html`<a href="${address}${part}">${words}</a>`
}

function addressOf(page: string): string | null {
  return page === 'errors' || servedPages.includes(page) ? `/docs/${page}` : null
}

const namedPage = /\bdocs\/([a-z-]+)\.md\b/g

// A plain text that names pages as the files that they are, with links to those that are served.
export function linkPages(text: string): readonly (Html | string)[] {
  const pieces: (Html | string)[] = []
  let from = 0
  for (const match of text.matchAll(namedPage)) {
    const [name, page = ''] = match
    const address = addressOf(page)
    pieces.push(text.slice(from, match.index), address ? html`<a href="${address}">${name}</a>` : name)
    from = match.index + name.length
  }
  return [...pieces, text.slice(from)]
}

// The same for whoever reads Markdown.
export function linkPagesInMarkdown(text: string): string {
  return text.replaceAll(namedPage, (name, page: string) => {
    const address = addressOf(page)
    return address ? `[${name}](${address})` : name
  })
}

export const servedPages: readonly string[] = [
  'reading-answers',
  'sandbox',
  'query-language',
  'hosted-form',
  'text-to-pay',
  'messages',
  'international',
  'webhooks',
  'events',
  'configuration',
  'running',
]
