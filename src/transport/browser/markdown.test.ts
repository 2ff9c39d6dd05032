import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { renderMarkdown, servedPages } from '#transport/browser/markdown.page.ts'

const rendered: readonly (readonly [what: string, source: string, html: RegExp])[] = [
  ['a heading', '# Errors\n\ntext', /^<h1>Errors<\/h1><p>text<\/p>$/],
  ['lines of a paragraph', 'one\ntwo', /^<p>one two<\/p>$/],
  ['code in a line', 'say `a < b`', /<code>a &lt; b<\/code>/],
  ['bold words', 'it is **so**', /it is <b>so<\/b>/],
  ['a fence with a blank line', '```sh\na\n\nb\n```', /^<pre .*><code>a\n\nb<\/code><\/pre>$/],
  ['a list that goes on in the next line', '- one\n  more\n- two', /<li>one more<\/li><li>two<\/li>/],
  ['a table', '| A | B |\n| - | - |\n| 1 | x \\| y |', /<th scope="col">A<\/th>.*<td>x \| y<\/td>/s],
  ['a link to a page that is served', '[q](query-language.md)', /<a href="\/docs\/query-language">q<\/a>/],
  ['a link to another page, by its name alone', '[r](running.md)', /^<p>r<\/p>$/],
  ['markup, as text', '<script>alert(1)</script>', /&lt;script&gt;/],
]
for (const [what, source, expected] of rendered) {
  test(`${what} is rendered`, () => assert.match(renderMarkdown(source).body.text, expected))
}

for (const page of servedPages) {
  test(`docs/${page}.md has a title, and no mark is left over`, () => {
    const source = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', `${page}.md`), 'utf8')
    const { title, body } = renderMarkdown(source)
    assert.ok(title.length > 3)
    assert.doesNotMatch(body.text, /```|<p>\||<p>#/)
  })
}
