import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { html } from '#kernel/html.ts'
import {
  linkPages,
  linkPagesInMarkdown,
  renderMarkdown,
  servedPages,
} from '#transport/browser/markdown.page.ts'

const rendered: readonly (readonly [what: string, source: string, html: RegExp])[] = [
  ['a heading', '# Errors\n\ntext', /^<h1>Errors<\/h1><p>text<\/p>$/],
  ['lines of a paragraph', 'one\ntwo', /^<p>one two<\/p>$/],
  ['code in a line', 'say `a < b`', /<code>a &lt; b<\/code>/],
  ['bold words', 'it is **so**', /it is <b>so<\/b>/],
  ['a fence with a blank line', '```sh\na\n\nb\n```', /^<pre .*><code>a\n\nb<\/code><\/pre>$/],
  ['a list that goes on in the next line', '- one\n  more\n- two', /<li>one more<\/li><li>two<\/li>/],
  [
    'a table',
    '| A | B |\n| - | - |\n| 1 | x \\| y |',
    />A<\/th>.*<td role="cell" data-column="B"><span>x \| y<\/span><\/td>/s,
  ],
  ['a link to a page that is served', '[q](query-language.md)', /<a href="\/docs\/query-language">q<\/a>/],
  ['a link to another page, by its name alone', '[r](proof.md)', /^<p>r<\/p>$/],
  [
    'a link to a part of a page',
    '[f](hosted-form.md#the-fee)',
    /<a href="\/docs\/hosted-form#the-fee">f<\/a>/,
  ],
  ['a link to the outside', '[n](https://nodejs.org)', /<a href="https:\/\/nodejs\.org">n<\/a>/],
  [
    'a heading that links can name',
    '### What `fee` is',
    /^<h3 id="what-fee-is">What <code>fee<\/code> is<\/h3>$/,
  ],
  ['a list with numbers', '1. one\n2. two\n   more', /^<ol><li>one<\/li><li>two more<\/li><\/ol>$/],
  ['slanted words', 'in _one go_, not snake_case_name', /<i>one go<\/i>, not snake_case_name/],
  ['a remark to whoever edits it, by nothing', '<!-- written by a program -->', /^$/],
  ['markup, as text', '<script>alert(1)</script>', /&lt;script&gt;/],
]
for (const [what, source, expected] of rendered) {
  test(`${what} is rendered`, () => assert.match(renderMarkdown(source).body.text, expected))
}

test('a text that names a page as a file links to it where it is served', () => {
  const text = 'See docs/webhooks.md and docs/proof.md, not a <b>.'
  assert.equal(
    html`${linkPages(text)}`.text,
    'See <a href="/docs/webhooks">docs/webhooks.md</a> and docs/proof.md, not a &lt;b&gt;.',
  )
  const markdown = 'See [docs/webhooks.md](/docs/webhooks) and docs/proof.md, not a <b>.'
  assert.equal(linkPagesInMarkdown(text), markdown)
})

for (const page of servedPages) {
  test(`docs/${page}.md has a title, and no mark is left over`, () => {
    const source = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', `${page}.md`), 'utf8')
    const { title, body } = renderMarkdown(source)
    assert.ok(title.length > 3)
    const words = body.text.replaceAll(/<code>[^]*?<\/code>/g, '')
    assert.doesNotMatch(words, /```|<p>\||<p>#|\]\(|\*\*|<p>&lt;!--/)
  })
}
