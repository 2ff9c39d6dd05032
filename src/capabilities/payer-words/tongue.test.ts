import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fill, timeWords } from '#capabilities/payer-words/tongue.ts'

test('a sentence ends with one full stop, also where a time or a name brings its own', () => {
  const moment = Temporal.Instant.from('2026-11-18T11:00:00Z')
  const time = timeWords(moment, 'America/New_York', { locale: 'es-US' })
  assert.match(time, /m\.$/)
  assert.equal(fill('Hasta el {time}. Pague.', { time }), `Hasta el ${time} Pague.`)
  assert.equal(fill('Ask {merchant}.', { merchant: 'Harbour Inc.' }), 'Ask Harbour Inc.')
  assert.equal(fill('Ask {merchant}.', { merchant: 'Harbour Cafe' }), 'Ask Harbour Cafe.')
})
