import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { servedPages } from '#transport/browser/markdown.page.ts'
import { type GatewayProcess, openHome } from '../support/gateway-process.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })].toSorted()

// These are run by continuous integration and by tools/first-minute.ts; a test cannot run itself.
const runElsewhere = new Set(['npm ci && npm start', 'npm ci && npm test', 'npm run check'])

type Block = { readonly page: string; readonly language: string; readonly text: string }

function blocksOf(page: string): readonly Block[] {
  return [...read(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', content = '']) => ({
    page,
    language,
    text: content.trimEnd(),
  }))
}

const blocks = pages.flatMap(blocksOf)

test('every command in the pages runs as it is written, and as a gateway elsewhere serves it', async (t) => {
  const home = openHome(t)
  symlinkSync(join(root, 'bin'), join(home.folder, 'bin'))
  const gateway = await home.start()
  const commands = blocks.filter(({ language, text }) => {
    return language === 'sh' && !text.split('\n').every((line) => runElsewhere.has(line))
  })
  assert.ok(commands.length >= 5)
  // A reader keeps the terminal open from one block of a page to the next.
  for (const [page, own] of Map.groupBy(commands, (block) => block.page)) {
    const served = servedPages.find((name) => page === `docs/${name}.md`)
    const { script, env } = served
      ? { script: await servedScript(served, gateway), env: {} }
      : {
          // The reader stands in the project and the gateway on its usual port; here both are elsewhere.
          script: scriptOf(own).replaceAll('http://127.0.0.1:8080', gateway.baseUrl),
          env: { DATA_DIR: home.dataFolder, PORT: new URL(gateway.baseUrl).port },
        }
    const { status, stdout, stderr } = spawnSync('bash', ['-eu', '-o', 'pipefail', '-c', script], {
      cwd: home.folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: home.folder, ...env },
    })
    assert.equal(status, 0, `${page}:\n${stdout}\n${stderr}`)
    assert.doesNotMatch(stdout, /"FunctionOk":false|<FunctionOk>false|Fault>/, page)
    if (page === 'README.md') {
      assert.match(stdout, /"FunctionOk":true.*APPROVED/s)
      assert.match(stdout, /<FunctionOk>true<.*APPROVED/s)
    }
  }
})

const scriptOf = (own: readonly Pick<Block, 'text'>[]): string => own.map(({ text }) => text).join('\n')

// The commands of a page under /docs, whose blocks stand in the order of its source.
async function servedScript(page: string, gateway: GatewayProcess): Promise<string> {
  const { text } = await gateway.get(`/docs/${page}`)
  const shown = Array.from(text.matchAll(/<pre [^>]*><code>([^]*?)<\/code><\/pre>/g), ([, code = '']) => code)
  const sources = blocksOf(`docs/${page}.md`)
  assert.equal(shown.length, sources.length)
  return scriptOf(
    sources.flatMap(({ language }, at) => (language === 'sh' ? [{ text: unescaped(shown[at] ?? '') }] : [])),
  )
}

function unescaped(markup: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return markup.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '')
}

// A block without a language is not run: it shows what is started and stays, or no command at all.
test('every call in the pages is among the commands that run', () => {
  for (const { page, language, text } of blocks) {
    if (/\bcurl\b/.test(text)) assert.equal(language, 'sh', `${page}:\n${text}`)
  }
})

test('the bank runs as a process of its own by the two commands of its page', async (t) => {
  const home = openHome(t)
  const page = read('docs/sandbox.md')
  const [, command = ''] = /^node (bin\/node26.cjs simulator\/process.ts .*)$/m.exec(page) ?? []
  const [, settings = ''] = /^(.*TILLGATE_BANK=.*) npm start$/m.exec(page) ?? []
  // Only places change: the project is not to hold what a test leaves.
  const inHome = (word: string) => (/^(?:bank|data)[.-]/.test(word) ? join(home.folder, word) : word)
  const bank = spawn('node', command.split(' ').map(inHome), {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(bank, 'exit')
  t.after(async () => {
    bank.stdin.end()
    await ended
  })
  await once(bank.stdout, 'data')
  const env = settings.split(' ').map((one) => one.split('=').map(inHome))
  const gateway = await home.start({ ...Object.fromEntries(env), PORT: '0' })
  const charge = { ConsentID: 1, Amounts: { BaseAmt: 10.1 } }
  const { result } = await gateway.call('ConsentAnnual/ChargeStoredCard', charge, await gateway.signIn())
  assert.equal(result.FunctionOk, true, result.ErrMsg)
  assert.match(readFileSync(join(home.folder, 'bank.log'), 'utf8'), /"1010"/)
})

test('the answer in the README has the members of the real one', () => {
  const [sample] = blocks.filter(({ page, language }) => page === 'README.md' && language === 'json')
  const contract = operations.find(({ contract: { path } }) => path === 'Authenticate')?.contract
  assert.ok(sample && contract)
  const shown = JSON.parse(sample.text) as Record<string, object>
  const members = { FunctionOk: true, ErrCode: 0, ErrMsg: '', RespMsg: '', ...contract.example.result }
  assert.deepEqual(shapeOf(shown), shapeOf({ [contract.resultKey]: members }))
})

test('every JSON sample is JSON, and every page that is linked to exists', () => {
  for (const { page, language, text } of blocks) {
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(text), page)
  }
  for (const page of pages) {
    const text = read(page)
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      assert.ok(globSync(join(page, '..', target), { cwd: root }).length === 1, `${page} links to ${target}`)
    }
  }
})

test('a newcomer installs with Node 20, and no other package can be taken for ours', () => {
  const { name, private: isPrivate, engines, bin } = JSON.parse(read('package.json'))
  assert.deepEqual({ name, isPrivate }, { name: '@tillgate/gateway', isPrivate: true })
  assert.deepEqual(engines, { node: '>=20', npm: '>=9' })
  const { status, stdout } = spawnSync('node', [bin.tillgate, 'help'], { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0)
  assert.match(stdout, /^From the folder of the project: node bin\/tillgate\.cjs /)
})

// Names and types, without values.
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}
