import type { Form } from '#capabilities/forms/form.ts'
import type { SentFields } from '#capabilities/form-payments/read-submission.ts'
import type { EngineContext } from '#engine/context.ts'
import { openRecord, sealRecord } from '#platform/crypto/sealed-record.ts'

type Needs = Pick<EngineContext, 'keyRing' | 'clock'>
type Owner = Pick<Form, 'formId' | 'tries'>

// The page that asks for another look at the total, or the one that waits for the payer's bank.
type Purpose = 'review' | 'challenge'
type Sealing = { readonly owner: Owner; readonly purpose: Purpose }

const goodForMs = 600_000

// What a payer without script typed travels through the page that asks once more, readable by us alone, for
// this form, this try and this purpose, for ten minutes. It is stored nowhere.
export function sealFields(needs: Needs, sealing: Sealing, sent: SentFields): string {
  const until = needs.clock.now().epochMilliseconds + goodForMs
  const plaintext = Buffer.from(JSON.stringify({ until, fields: [...sent] }))
  const sealed = sealRecord(sealFor(needs, sealing), plaintext).toString('base64url')
  plaintext.fill(0)
  return sealed
}

// null when it is too old, was changed, or belongs elsewhere.
export function unsealFields(needs: Needs, sealing: Sealing, sealed: string): SentFields | null {
  const opened = openRecord(sealFor(needs, sealing), Buffer.from(sealed, 'base64url'))
  if (!opened) return null
  const { until, fields }: { until: number; fields: [string, string][] } = JSON.parse(opened.toString('utf8'))
  opened.fill(0)
  return needs.clock.now().epochMilliseconds <= until ? new Map(fields) : null
}

function sealFor({ keyRing }: Needs, { owner: { formId, tries }, purpose }: Sealing) {
  const key = keyRing.keyedDigest('form-transit', 'fields')
  return { key, keyVersion: 1, belonging: ['form', purpose, String(formId), String(tries)] }
}
