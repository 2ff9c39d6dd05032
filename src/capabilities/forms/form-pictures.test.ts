import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { changeFormSetting } from '#capabilities/forms/change-form-setting.operation.ts'
import { findPicture, findPictures } from '#capabilities/forms/find-pictures.operation.ts'
import { pictureBytesMax, readPicture } from '#capabilities/forms/picture-file.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { requestSender } from '#platform/outbound/send-request.ts'
import { iconOf, jpegOf, pictureServer, pngOf, webpOf } from '../../../test/support/pictures.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const merchant = merchantNumber(1)
const unchanged = { merchant, phone: null, origins: null, brands: null }

for (const [ending, content] of [
  ['png', pngOf(120, 40)],
  ['jpg', jpegOf(120, 40)],
  ['webp', webpOf(120, 40)],
] as const) {
  test(`a ${ending} is known by its bytes, with its sides`, () => {
    assert.deepEqual(readPicture(content, 'logo'), { ending, width: 120, height: 40 })
  })
}

const svg = Buffer.from('\uFEFF <?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>')
const png = pngOf(8, 8)
for (const [what, content, problem] of [
  ['SVG', svg, /^is SVG or a page; PNG, JPEG and WebP are taken$/],
  ['a page', Buffer.from('<!doctype html><title>Not found</title>'), /^is SVG or a page/],
  ['nothing', Buffer.alloc(0), /^is cut, or another kind of file/],
  ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00'), /^is cut, or another kind/],
  ['an icon', iconOf(32, 32), /^is cut, or another kind/],
  ['half a PNG', png.subarray(0, png.length - 9), /^is cut/],
  ['half a JPEG', jpegOf(9, 9).subarray(0, 12), /^is cut/],
  ['half a WebP', webpOf(9, 9).subarray(0, 29), /^is cut/],
  ['a JPEG whose segments lead out of it', Buffer.from('ffd8ffe0ffff00000000000000ffd9', 'hex'), /^is cut/],
  ['a JPEG whose segments lead nowhere', Buffer.from('ffd8ffe00000ffe00000ffe00000ffd9', 'hex'), /^is cut/],
  ['a PNG without sides', pngOf(0, 0), /^has 0 x 0 pixels/],
  ['a picture that is huge when unpacked', jpegOf(60_000, 10), /^has 60000 x 10 pixels; at most 4096 a side/],
  ['a large file', Buffer.concat([png, Buffer.alloc(pictureBytesMax)]), /^has more than 64 KiB$/],
] as const) {
  test(`as a logo ${what} is refused`, () => {
    const found = readPicture(content, 'logo')
    assert.match(typeof found === 'string' ? found : found.ending, problem)
  })
}

test('an icon may be a favicon', () => {
  assert.deepEqual(readPicture(iconOf(32, 32), 'favicon'), { ending: 'ico', width: 32, height: 32 })
})

function change(till: Till, pictures: object, needs: Partial<Till['needs']> = {}) {
  const { accountId: account } = till.account
  return changeFormSetting({ ...till.needs, ...needs }, { account, ...unchanged, ...pictures })
}

async function picturesOf({ needs, account: { accountId: account } }: Till) {
  return findPictures(needs, { account, merchant })
}

async function serve(t: TestContext) {
  return pictureServer(t, { '/logo.png': pngOf(120, 40), '/icon': iconOf(16, 16), '/logo.svg': svg })
}

test('a logo and a favicon are fetched once and kept under a name that says what they hold', async (t) => {
  const { baseUrl, asked } = await serve(t)
  const till = await openTill(world())
  assert((await change(till, { logo: `${baseUrl}/logo.png`, favicon: `${baseUrl}/icon` })).ok)
  const { logo, favicon } = await picturesOf(till)
  assert.match(logo?.name ?? '', /^[0-9a-f]{32}\.png$/)
  assert.deepEqual([logo?.width, logo?.height], [120, 40])
  assert.match(favicon?.name ?? '', /^[0-9a-f]{32}\.ico$/)
  const served = await findPicture(till.needs, logo?.name ?? '')
  assert.deepEqual(served, { type: 'image/png', content: pngOf(120, 40) })
  assert.deepEqual(asked, ['/logo.png', '/icon'])
  assert((await change(till, {})).ok, 'keeps what is not named')
  assert.deepEqual(await picturesOf(till), { logo, favicon })
  assert((await change(till, { logo: '' })).ok)
  assert.deepEqual(await picturesOf(till), { logo: null, favicon })
  assert.equal(await findPicture(till.needs, logo?.name ?? ''), null)
})

test('what cannot be a picture changes nothing, and says why', async (t) => {
  const { baseUrl } = await serve(t)
  const till = await openTill(world())
  for (const [logo, problem] of [
    [`${baseUrl}/logo.svg`, /^is SVG or a page/],
    [`${baseUrl}/moved.png`, /^leads elsewhere \(302\)/],
    ['http://127.0.0.1:1/logo.png', /^could not be fetched: The connection was refused/],
    ['javascript:alert(1)', /^could not be fetched: The address is no address/],
    ['http://169.254.169.254/latest/meta-data', /^could not be fetched: The address is one that nothing/],
  ] as const) {
    const changed = await change(till, { logo, favicon: `${baseUrl}/icon` })
    assert(!changed.ok && changed.refusal.kind === 'picture_refused', logo)
    assert.match(String(changed.refusal.details['problem']), problem)
  }
  assert.deepEqual(await picturesOf(till), { logo: null, favicon: null })
})

test('in live mode nothing inside is asked for a logo', async (t) => {
  const { baseUrl, asked } = await serve(t)
  const till = await openTill(world())
  const sendRequest = requestSender({ mode: 'live', resolve: async () => ['127.0.0.1'] })
  for (const [logo, problem] of [
    [`${baseUrl}/logo.png`, /must start with https/],
    ['https://shop.example/logo.png', /The host is not on the internet/],
  ] as const) {
    const changed = await change(till, { logo }, { sendRequest })
    assert(!changed.ok && changed.refusal.kind === 'picture_refused', logo)
    assert.match(String(changed.refusal.details['problem']), problem)
  }
  assert.deepEqual(asked, [])
})

test('two records with the same logo share its address, and keep it apart', async (t) => {
  const { baseUrl } = await serve(t)
  const tills = [await openTill(world()), await openTill(world())] as const
  for (const till of tills) assert((await change(till, { logo: `${baseUrl}/logo.png` })).ok)
  const names = await Promise.all(tills.map(async (till) => (await picturesOf(till)).logo?.name ?? ''))
  assert.equal(names[0], names[1])
  await change(tills[0], { logo: '' })
  assert(await findPicture(tills[1].needs, names[1] ?? ''))
})
