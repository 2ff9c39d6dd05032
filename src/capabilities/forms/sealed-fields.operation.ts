import type { Form } from '#capabilities/forms/form.ts'
import type { SentFields } from '#capabilities/forms/read-submission.ts'
import type { EngineContext } from '#engine/context.ts'
import { openRecord, sealRecord } from '#platform/crypto/sealed-record.ts'

type Needs = Pick<EngineContext, 'keyRing' | 'clock'>
type Owner = Pick<Form, 'formId' | 'tries'>

const goodForMs = 600_000

// What a payer without script typed travels through the page that asks once more, readable by us alone, for
// this form and this try, for ten minutes. It is stored nowhere.
export function sealFields(needs: Needs, owner: Owner, sent: SentFields): string {
  const until = needs.clock.now().epochMilliseconds + goodForMs
  const plaintext = Buffer.from(JSON.stringify({ until, fields: [...sent] }))
  const sealed = sealRecord(sealFor(needs, owner), plaintext).toString('base64url')
  plaintext.fill(0)
  return sealed
}

// null when it is too old, was changed, or belongs elsewhere.
export function unsealFields(needs: Needs, owner: Owner, sealed: string): SentFields | null {
  const opened = openRecord(sealFor(needs, owner), Buffer.from(sealed, 'base64url'))
  if (!opened) return null
  const { until, fields }: { until: number; fields: [string, string][] } = JSON.parse(opened.toString('utf8'))
  opened.fill(0)
  return needs.clock.now().epochMilliseconds <= until ? new Map(fields) : null
}

function sealFor({ keyRing }: Needs, { formId, tries }: Owner) {
  const key = keyRing.keyedDigest('form-transit', 'fields')
  return { key, keyVersion: 1, belonging: ['form', String(formId), String(tries)] }
}
