import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '#kernel/html.ts'

test('a name that looks like markup is shown as text', () => {
  const name = `<script>alert('x')</script> & "Sons"`
  assert.equal(
    html`<p title="${name}">${name}</p>`.text,
    '<p title="&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;Sons&quot;">' +
      '&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;Sons&quot;</p>',
  )
})

test('pieces of markup nest, and lists of them are joined', () => {
  const rows = ['a', '<b>'].map((cell) => html`<td>${cell}</td>`)
  assert.equal(html`<tr>${rows}</tr>${0}`.text, '<tr><td>a</td><td>&lt;b&gt;</td></tr>0')
})
