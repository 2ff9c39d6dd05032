import { blank, codeTokensOf } from './lexer.ts'
import { isCode, isTest, lineAt } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

const clockPath = 'src/platform/clock.ts'
const folders = ['src/', 'simulator/']
const readings = /\bDate\.now\s*\(|\bnew\s+Date\b|\bTemporal\.Now\b|\bMath\.random\s*\(/g

// Real time in SQL: only what must agree between nodes may ask the database's clock, and the check that
// compares it with ours.
const foldersWithSqlClock = ['src/platform/tasks/', 'src/platform/postgres/check-database.store.ts']
const sqlReadings = new RegExp(
  [
    /\bnow\s*\(\s*\)/,
    /\bcurrent_(?:timestamp|date|time)\b/,
    /\blocaltime(?:stamp)?\b/,
    /\b(?:clock|statement|transaction)_timestamp\s*\(/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)

// Business dates follow the account's clock. What goes by real time instead: sign-ins as a whole, and in
// other slices the files named here, for leases, for how long something was left half done,
// and for how long a number is kept.
const foldersOnRealTime = ['src/capabilities/sessions/']
const filesOnRealTime = new Set([
  'src/capabilities/bank-debits/erase-bank-accounts.operation.ts',
  'src/capabilities/consents/cancel-consent.operation.ts',
  'src/capabilities/consents/create-consent.operation.ts',
  'src/capabilities/consents/finish-consent.operation.ts',
  'src/capabilities/consents/keep-card.operation.ts',
  'src/capabilities/consents/remove-abandoned-consents.operation.ts',
  'src/capabilities/consents/store-consent.operation.ts',
  'src/capabilities/form-payments/guard-tries.operation.ts',
  'src/capabilities/forms/init-form.operation.ts',
  'src/capabilities/forms/remove-old-forms.operation.ts',
  'src/capabilities/links/forget-old-links.operation.ts',
  'src/capabilities/links/make-link.operation.ts',
  'src/capabilities/links/resend-link.operation.ts',
  'src/capabilities/form-payments/sealed-fields.operation.ts',
  'src/capabilities/collection/keep-run.operation.ts',
  'src/capabilities/collection/repeat-run.operation.ts',
  'src/capabilities/collection/run-instalments.operation.ts',
  'src/capabilities/disputes/read-disputes.operation.ts',
  'src/capabilities/reconciliation/reconcile.operation.ts',
  'src/capabilities/sandbox/receive-webhook.operation.ts',
  'src/capabilities/sandbox/seed-cards.operation.ts',
  'src/capabilities/messages/change-limits.operation.ts',
  'src/capabilities/messages/deliver-channel.operation.ts',
  'src/capabilities/messages/hear-sender.operation.ts',
  'src/capabilities/messages/messages-of-links.operation.ts',
  'src/capabilities/messages/remove-old-messages.operation.ts',
  'src/capabilities/settlement/close-batch.operation.ts',
  'src/capabilities/settlement/held-elsewhere.operation.ts',
  'src/capabilities/settlement/release-batch.operation.ts',
  'src/capabilities/settlement/resolve-batches.operation.ts',
  'src/capabilities/settlement/send-batch.operation.ts',
  'src/capabilities/webhooks/deliver-lane.operation.ts',
  'src/capabilities/webhooks/end-endpoint.operation.ts',
  'src/capabilities/webhooks/fan-out-events.operation.ts',
  'src/capabilities/webhooks/remove-old-deliveries.operation.ts',
  'src/capabilities/webhooks/webhook-secrets.operation.ts',
])
const realTime = /\bclock\.now\s*\(/g

// The clock and the dice are parameters, so that a test or a sandbox account can decide them.
export function checkTime(project: Project): Breach[] {
  const files = project.files.filter(({ path }) => isCode(path) && !isTest(path) && isOurs(path))
  return files.flatMap((file) => [...checkCode(file), ...checkBusinessTime(file), ...checkSqlText(file)])
}

function isOurs(path: string): boolean {
  return path !== clockPath && folders.some((folder) => path.startsWith(folder))
}

function checkCode(file: SourceFile): Breach[] {
  const code = blank(file, ['comment', 'string', 'template', 'regex'])
  return Array.from(code.matchAll(readings), ({ 0: found, index }) =>
    breach(file.path, lineAt(code, index), `'${found}' outside ${clockPath}; take the clock as a parameter`),
  )
}

function checkBusinessTime(file: SourceFile): Breach[] {
  const { path } = file
  const isFree = filesOnRealTime.has(path) || foldersOnRealTime.some((folder) => path.startsWith(folder))
  if (!path.startsWith('src/capabilities/') || isFree) return []
  const code = blank(file, ['comment', 'string', 'template', 'regex'])
  return Array.from(code.matchAll(realTime), ({ index }) =>
    breach(path, lineAt(code, index), "'clock.now(' is real time; ask accountClock.now(account) for dates"),
  )
}

function checkSqlText(file: SourceFile): Breach[] {
  if (!file.path.endsWith('.store.ts')) return []
  if (foldersWithSqlClock.some((folder) => file.path.startsWith(folder))) return []
  const texts = codeTokensOf(file).filter(({ kind }) => kind === 'string' || kind === 'template')
  return texts.flatMap(({ text, line }) =>
    Array.from(text.matchAll(sqlReadings), ({ 0: found, index }) =>
      breach(
        file.path,
        line + lineAt(text, index) - 1,
        `SQL '${found}' reads a clock; pass the time as a parameter`,
      ),
    ),
  )
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'time', message }
}
