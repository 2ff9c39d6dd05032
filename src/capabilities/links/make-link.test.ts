import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { findLink, makeLink, order, sendPath, storedMessagesOf } from '../../../test/support/link-world.ts'
import { deliver, messagesOf, withSenders } from '../../../test/support/message-world.ts'
import { call, eventsOf, openTill, withKey } from '../../../test/support/till.ts'
import { changeFormSetting } from '#capabilities/forms/change-form-setting.operation.ts'
import type { Sender } from '#capabilities/messages/sender.ts'
import { operations } from '#capabilities/operations.ts'
import { sampleErrorText } from '#capabilities/wire/envelope.ts'
import { merchantNumber } from '#kernel/ids.ts'

const world = useWorld()
const messageTo: Readonly<Record<string, string>> = {
  TEXT: '+12125550123',
  SMS: '+12125550123',
  EMAIL: 'ada@example.com',
}
const ada = { Firstname: 'Ada', Phone: '(212) 555-0123', Email: 'ada@example.com' }

describe('a link is made and sent', () => {
  test('by text, in our words, to the phone in its international form', async () => {
    const till = await openTill(world())
    const told = await order(till, {
      MessageType: 'TEXT',
      Person: ada,
      DueOn: '2026-11-20',
      ExpiresOn: '2030-12-01',
    })
    assert.equal(told.text, 'Text Sent Successfully to +12125550123')
    const url = String(told.members['PaymentUrl'])
    assert.match(url, /^https:\/\/pay\.example\/sw\/[0-9a-hjkmnp-tv-z]{16}$/)
    const [message] = await messagesOf(till)
    assert.equal(message?.recipient, '+12125550123')
    assert.equal(
      message?.text,
      `Corner Books: please pay $125.00 by Nov 20, 2026. ${url} Expires Dec 1, 2030, 11:59 PM. (Test, no money moves)`,
    )
    assert.deepEqual(await eventsOf(till), ['link.sent'])
  })

  test('by text with its own words, link and expiry behind them', async () => {
    const till = await openTill(world())
    await order(till, { MessageType: 'text', Person: ada, MessageBody: 'Thank you for your visit!' })
    const [message] = await messagesOf(till)
    assert.match(message?.text ?? '', /^Thank you for your visit! https:\S+ Expires /)
  })

  for (const [a, b] of [
    ['||', '||'],
    ['**', '**'],
  ]) {
    test(`by SMS in the merchant's words alone, with placeholders such as ${a}Amt${b}`, async () => {
      const till = await openTill(world())
      const MessageBody = `${a}Merch1${b} asks for ${a}amt${b} by ${a}DueOn${b}: ${a}PayLink${b}`
      const told = await order(till, { MessageType: 'SMS', Person: ada, MessageBody, DueOn: '11/20/2026' })
      const [message] = await messagesOf(till)
      const link = String(told.members['PaymentUrl'])
      assert.equal(
        message?.text,
        `Corner Books asks for $125.00 by Nov 20, 2026: ${link} (Test, no money moves)`,
      )
    })
  }

  test('by e-mail, as plain text and as HTML, with nothing of the words taken for markup', async () => {
    const till = await openTill(world())
    const told = await order(till, {
      MessageType: 'EMAIL',
      Person: ada,
      MessageBody: '<b>Hello</b>\n||Amt||',
    })
    assert.equal(told.text, 'Email Sent Successfully to ada@example.com')
    const [message] = await messagesOf(till)
    assert.equal(message?.subject, 'Corner Books asks you to pay $125.00')
    assert.match(
      message?.text ?? '',
      /pay: \$125\.00\n\n<b>Hello<\/b>\n\$125\.00\n\nReference: invoice-1042\nLink expires: [^]*https:/,
    )
    assert.match(message?.html ?? '', /&lt;b&gt;Hello&lt;\/b&gt;/)
    assert.match(message?.html ?? '', new RegExp(`href="${String(told.members['PaymentUrl'])}"`))
  })

  test('by e-mail, with place and phone of who asks, and no reference that its page hides', async () => {
    const till = await openTill(world())
    const record = { account: till.account.accountId, merchant: merchantNumber(1) }
    const setting = { ...record, phone: '+1 212 555 0188', origins: null, brands: null }
    assert((await changeFormSetting(till.needs, setting)).ok)
    await order(till, { MessageType: 'EMAIL', Person: ada, OptParam: 'VISIBLE|A060' })
    const [message] = await messagesOf(till)
    assert.match(
      message?.text ?? '',
      /\nCorner Books, Main Street, .*\+1 212 555 0188\nCorner Books asked us/,
    )
    assert.doesNotMatch(message?.text ?? 'invoice-1042', /invoice-1042/)
  })

  for (const MessageType of ['TEXT', 'SMS', 'EMAIL'])
    test(`by ${MessageType}, and the code of the link is stored nowhere`, async () => {
      const till = await openTill(world())
      const MessageBody = 'Now: ||PayLink||, or later: **PayLink**'
      const url = String((await order(till, { MessageType, Person: ada, MessageBody })).members['PaymentUrl'])
      const [stored = ''] = await storedMessagesOf(till)
      assert(!stored.includes(url.slice(-16)), stored)
      const told = new RegExp(`Now: ${url}, or later: ${url}`)
      assert.match((await messagesOf(till))[0]?.text ?? '', told)
      const sent: string[] = []
      const send: Sender['send'] = async ({ recipient, text }) => {
        if (recipient === messageTo[MessageType]) sent.push(text)
        return { kind: 'sent', hasArrived: true, parts: [] }
      }
      const sender = { ...till.needs.senders.text, send }
      await deliver(withSenders(till, { text: sender, email: sender }))
      assert.match(sent.at(-1) ?? '', told)
    })

  test('for the own use of the merchant: nothing is sent, nothing is told', async () => {
    const till = await openTill(world())
    const told = await order(till, { MessageType: 'URLONLY', Person: ada })
    assert.equal(told.text, 'Link Created Successfully')
    assert.deepEqual([await messagesOf(till), await eventsOf(till)], [[], []])
    const { State, ExpiresOn, CreatedOn, Payments } = await findLink(till, String(told.members['PaymentUrl']))
    const days = Temporal.Instant.from(String(ExpiresOn)).since(String(CreatedOn)).total('days')
    assert.deepEqual([State, days, Payments], ['OPEN', 30, 0])
  })

  test('options come in any order', async () => {
    const till = await openTill(world())
    for (const OptParam of [
      'VISIBLE|A060|READONLY|0040|STYLES|000A|OPTIONS|0208|COLORS|#ffffff,#428bca,#007bff,#212121,#ffffff,#212121,#ffffff',
      'COLORS|ffffff,004080,004080,212121,ffffff,212121,ffffff|OPTIONS|0208|VISIBLE|A060',
      '|styles|2|visible|60|',
      'VISIBLE|A060|COLORS|',
      'COLORS||VISIBLE|A060|',
    ])
      assert.equal((await order(till, { OptParam })).code, 0, OptParam)
  })

  test('a scheduled payment without transaction gives its TxID of -1 to a link', async () => {
    assert.equal((await order(await openTill(world()), { TXID: -1, AcctHolderID: -1 })).code, 0)
  })

  test('the same key never sends two texts, and answers the same link', async () => {
    const needs = world()
    const till = withKey(await openTill(needs), 'text-1', sendPath)
    const body = { MessageType: 'TEXT', Person: ada }
    const first = await order(till, body)
    const again = await Promise.all(Array.from({ length: 5 }, () => order(till, body)))
    assert.deepEqual([...new Set(again.map(({ code }) => code))], [4091])
    const operation = operations.find(({ contract }) => contract.path === sendPath)
    const replayed = await operation?.replayMade?.(needs, till.caller)
    assert(replayed?.ok)
    assert.deepEqual(replayed.reply.members, first.members)
    assert.equal(replayed.reply.message, first.text)
    assert.equal((await messagesOf(till)).length, 1)
  })

  test('a refusal does not use the key up', async () => {
    const till = withKey(await openTill(world()), 'text-2', sendPath)
    const plain = { ...till, caller: { ...till.caller, callerKey: null } }
    for (let sent = 0; sent < 3; sent++) await makeLink(plain, { MessageType: 'TEXT', Person: ada })
    assert.equal((await order(till, { MessageType: 'TEXT', Person: ada })).code, 6656)
    const other = { Phone: '+1 212 555 0199' }
    assert.equal((await order(till, { MessageType: 'TEXT', Person: other })).code, 0)
  })
})

describe('what cannot be is refused by name, and nothing is sent', () => {
  const refused: readonly [object, number, RegExp][] = [
    [{ MessageType: 'FAX' }, 4003, /Msg\.MessageType must be TEXT, SMS, EMAIL or URLONLY/],
    [
      { MessageType: 'TEXT', Person: { Email: 'ada@example.com' } },
      6651,
      /phone number in Msg\.Person\.Phone is missing/,
    ],
    [{ MessageType: 'TEXT', Person: { Phone: '555' } }, 6651, /in Msg\.Person\.Phone is too short/],
    [
      { MessageType: 'EMAIL', Person: { Phone: '+12125550123' } },
      6652,
      /e-mail address in Msg\.Person\.Email is missing/,
    ],
    [{ MessageType: 'EMAIL', Person: { Email: 'ada@localhost' } }, 6652, /behind the @/],
    [
      { MessageType: 'SMS', Person: ada },
      4002,
      /Msg\.MessageBody is missing, and MessageType SMS sends nothing/,
    ],
    [{ WidgetURL: 'https://evil.example/sw' }, 4003, /Msg\.WidgetURL leads elsewhere/],
    [{ WidgetURL: 'https://pay.example.evil.example/' }, 4003, /Msg\.WidgetURL/],
    [{ ExpiresOn: '2020-01-01' }, 4003, /Msg\.ExpiresOn lies in the past/],
    [{ ExpiresOn: 'soon' }, 4003, /Msg\.ExpiresOn is not a date/],
    [{ ExpiresOn: '2030-01-01T00:00:00+99:00' }, 4003, /Msg\.ExpiresOn is not a date/],
    [{ ExpiresOn: '9999-12-31' }, 4003, /Msg\.ExpiresOn lies more than 100 years ahead/],
    [{ DueOn: 'soon' }, 4003, /Msg\.DueOn is not a date/],
    [{ DueOn: '0000-01-01' }, 4003, /Msg\.DueOn is not a date/],
    [{ DueOn: '/Date(999999999999999)/' }, 4003, /Msg\.DueOn is not a date/],
    [{ DueOn: '2030-12-01', ExpiresOn: '2030-11-30' }, 4003, /Msg\.ExpiresOn lies before Msg\.DueOn/],
    [{ DueOn: '9999-12-31' }, 4003, /Msg\.DueOn lies more than 100 years ahead/],
    [{ Amount: 0 }, 4003, /Msg\.Amount must be more than 0/],
    [{ Amount: null }, 4002, /Msg\.Amount is missing/],
    [{ Amount: 1.005 }, 4003, /Msg\.Amount has more decimals/],
    [{ Amount: 100_000.01 }, 4003, /Msg\.Amount makes a payment of more than 100000\.00 USD, the most/],
    [{ MerchID: 9 }, 6001, /9/],
    [{ WType: 'XX' }, 4003, /Msg\.WType must be SW, PF, PA or CPPAY/],
    [{ WType: 'CPPAYMENT' }, 4003, /Msg\.WType must be SW, PF, PA or CPPAY/],
    [{ ConsentID: 987_654 }, 6101, /987654/],
    [{ ConsentID: 987_654, SingleUse: 0 }, 4003, /Msg\.ConsentID needs Msg\.SingleUse 1: a link for many/],
    [{ ConsentID: 987_654, SingleUse: null }, 4003, /Msg\.ConsentID needs Msg\.SingleUse 1: a link for many/],
    [{ Questions: [{}, { Question: 'ZIP?', Answer: ' ' }] }, 4002, /Msg\.Questions\[1\]\.Answer is missing/],
    [{ Questions: [{ Question: 'ZIP?' }] }, 4002, /Msg\.Questions\[0\]\.Answer is missing/],
    [{ Questions: [{ Question: 'ZIP?', Answer: null }] }, 4002, /Msg\.Questions\[0\]\.Answer is missing/],
    [{ EINDEX: 'nobody' }, 6603, /Msg\.EINDEX nobody/],
    [{ RedirectURL: 'javascript:alert(1)' }, 4003, /Msg\.RedirectURL/],
    [{ OptParam: 'VISIBLE' }, 4003, /Msg\.OptParam must hold pairs/],
    [{ OptParam: '|' }, 4003, /Msg\.OptParam must hold pairs/],
    [{ OptParam: 'VISIBLE|' }, 4003, /Msg\.OptParam VISIBLE must have one to four hex digits/],
    [{ OptParam: 'VISIBLE|XYZ' }, 4003, /Msg\.OptParam VISIBLE/],
    [{ OptParam: 'VISIBLE|1|VISIBLE|2' }, 4003, /VISIBLE twice/],
    [{ OptParam: 'SIZE|1' }, 4003, /Msg\.OptParam holds SIZE/],
    [{ OptParam: 'COLORS|red;}body{' }, 4003, /COLORS/],
    [{ MessageBody: 'Pay at https://evil.example/x' }, 4003, /holds the address https:\/\/evil/],
    [{ MessageBody: 'Pay at www.evil.example' }, 4003, /holds the address/],
    [{ MessageBody: 'Pay at evil.example/now' }, 4003, /holds the address/],
    [{ MessageBody: 'https:||DueOn||//evil||DueOn||.com/pay' }, 4003, /holds the address https:\/\/evil/],
    [{ MessageBody: 'Dear ||constructor||' }, 4003, /placeholder \|\|constructor/],
    [{ MessageBody: 'Dear ||Name||' }, 4003, /placeholder \|\|Name\|\|/],
  ]
  for (const [changes, code, text] of refused) {
    test(JSON.stringify(changes), async () => {
      const till = await openTill(world())
      const told = await order(till, changes)
      assert.equal(told.code, code, told.text)
      assert.match(told.text, text)
      assert.equal(told.members['PaymentUrl'], null)
      assert.deepEqual([await messagesOf(till), await eventsOf(till)], [[], []])
      assert.deepEqual((await call(till, 'Link/Query', {})).members['Links'], [])
    })
  }

  test('an e-mail address that is none, or a list, before anybody asks what it is for', async () => {
    const till = await openTill(world())
    for (const Email of ['ada', 'ada@example.com, bob@example.com', 'Ada <ada@example.com>'])
      assert.equal((await order(till, { MessageType: 'EMAIL', Person: { Email } })).code, 4003, Email)
  })

  const sampled = [
    ['invalid_phone', { MessageType: 'TEXT', Person: { Phone: '555' } }],
    ['invalid_email', { MessageType: 'EMAIL', Person: { Email: 'ada@localhost' } }],
  ] as const
  for (const [name, changes] of sampled) {
    test(`the page of errors shows what is answered to ${JSON.stringify(changes)}`, async () => {
      const { text } = await order(await openTill(world()), changes)
      assert(sampleErrorText(name).endsWith(`:LOW:${text}`), text)
    })
  }

  test('a body over the limit, before and after its placeholders are filled in', async () => {
    const till = await openTill(world())
    assert.equal((await order(till, { MessageBody: 'x'.repeat(1_601) })).code, 4003)
    const long = { MessageType: 'SMS', Person: ada, MessageBody: '||PayLink||'.repeat(140) }
    assert.match((await order(till, long)).text, /Msg\.MessageBody makes a message of more than 1600/)
    assert.deepEqual(await messagesOf(till), [])
  })

  for (const SingleUse of [0, 1, null]) {
    test(`without a consent SingleUse may be ${SingleUse}`, async () => {
      assert.equal((await order(await openTill(world()), { ConsentID: 0, SingleUse })).code, 0)
    })
  }

  const kinds: readonly [WType: string, record: number, code: number][] = [
    ['SW', 1, 0],
    ['CPPAY', 1, 0],
    ['cppay', 2, 0],
    ['PF', 1, 0],
    ['PA', 1, 6601],
    ['SW', 2, 0],
    ['PA', 2, 0],
    ['PF', 2, 6601],
  ]
  for (const [WType, MerchID, code] of kinds) {
    const record = MerchID === 1 ? 'a domestic record' : 'an international record'
    test(`${WType} for ${record} answers ${code}`, async () => {
      const needs = world()
      const till = await openTill(needs)
      await makeMerchant(needs, till.account, { isInternational: true })
      const told = await order(till, { WType, MerchID })
      assert.equal(told.code, code)
      if (code !== 0) assert(told.text.includes(`Msg.WType ${WType} is not taken`), told.text)
    })
  }

  test('a match that is demanded of what nobody is asked for', async () => {
    const told = await order(await openTill(world()), { OptParam: 'VISIBLE|0040|OPTIONS|0280' })
    assert.match(
      told.text,
      /Msg\.OptParam OPTIONS demands a match, and Msg\.Person\.BillIngAdress\.ZIP is neither/,
    )
  })
})
