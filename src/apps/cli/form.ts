import { Complaint } from '#apps/complaint.ts'
import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { merchantNumberFrom } from '#apps/cli/merchant.ts'
import { changeFormSetting } from '#capabilities/forms/change-form-setting.operation.ts'
import { explainMask, type MaskName, meaningsOfNone } from '#capabilities/forms/explain-options.wire.ts'
import { parseMask } from '#capabilities/forms/form-options.ts'
import { findPictures } from '#capabilities/forms/find-pictures.operation.ts'
import { rotateSigningKey, signingKey } from '#capabilities/forms/integrator-keys.operation.ts'

const masks = ['visible', 'readOnly', 'styles', 'submission', 'features'] as const satisfies MaskName[]
const optionOf: Readonly<Record<MaskName, string>> = {
  visible: 'visible',
  readOnly: 'readonly',
  styles: 'styles',
  submission: 'submission',
  features: 'features',
}

export const formCommands: Readonly<Record<string, Command>> = {
  explain: {
    usage:
      'tillgate form explain [--visible A063] [--readonly 0040] [--styles 000A] [--submission 0208] [--features 0020]',
    summary: "Say what the hex digits of a form's options mean, bit by bit",
    subject: null,
    texts: { visible: 4, readonly: 4, styles: 4, submission: 4, features: 4 },
    flags: [],
    run: async ({ options }) => explain(options),
  },
  set: {
    usage:
      'tillgate form set MERCHANT --account CODE [--phone NUMBER] [--origins https://shop.example,...] [--brands VI,MC,...] [--logo URL] [--favicon URL]',
    summary: "Change what a merchant record's forms show and take, and where they may be embedded",
    subject: 'merchant number',
    texts: { account: 9, phone: 32, origins: 2_000, brands: 40, logo: 2_048, favicon: 2_048 },
    flags: [],
    run: set,
  },
  key: {
    usage: 'tillgate form key --account CODE [--rotate]',
    summary: 'Show the key that the sig of a redirect is checked with, or make another one',
    subject: null,
    texts: { account: 9 },
    flags: ['rotate'],
    run: async ({ context, options }) => {
      const { accountId, accountCode } = await accountByCode({ context, code: options.needText('account') })
      const key = options.flag('rotate')
        ? await rotateSigningKey(context, accountId)
        : await signingKey(context, accountId)
      return { rows: [{ account: accountCode, key: key.reveal() }] }
    },
  },
}

function explain(options: Invocation['options']): Report {
  const given = masks.flatMap((name) => {
    const text = options.text(optionOf[name])
    if (text === undefined) return []
    const mask = parseMask(text)
    if (mask === null) throw new Complaint(`--${optionOf[name]} ${text} has not one to four hex digits.`)
    return [{ name, option: optionOf[name], text, mask }]
  })
  const rows = given.flatMap(({ name, option, mask }) =>
    explainMask(name, mask).map(({ bit, means }) => ({ option, bit, means })),
  )
  const notes = given
    .filter(({ mask }) => mask === 0)
    .map(({ name, option, text }) => `--${option} ${text} has no bit: ${meaningsOfNone[name]}.`)
  return notes.length > 0 ? { rows, note: notes.join('\n') } : { rows }
}

async function set({ context, options, subject }: Invocation): Promise<Report> {
  const account = await accountByCode({ context, code: options.needText('account') })
  const changed = await changeFormSetting(context, {
    account: account.accountId,
    merchant: merchantNumberFrom(subject),
    phone: options.text('phone') ?? null,
    origins: options.text('origins') ?? null,
    brands: options.text('brands') ?? null,
    logo: options.text('logo') ?? null,
    favicon: options.text('favicon') ?? null,
  })
  if (!changed.ok) {
    const { kind, details } = changed.refusal
    const complaints = {
      merchant_not_found: `The account ${account.accountCode} has no merchant record ${subject}.`,
      no_origin: `${details['origin']} is no origin such as https://shop.example.`,
      picture_refused: `The ${details['kind']} ${details['problem']}.`,
      no_brand: `${details['brand']} is none of VI, MC, AE, DS, DC, JC and UP.`,
    }
    throw new Complaint(complaints[kind])
  }
  const { phone, origins, brands } = changed.value
  const record = { account: account.accountId, merchant: merchantNumberFrom(subject) }
  const { logo, favicon } = await findPictures(context, record)
  const shown = {
    phone,
    origins: origins.join(' '),
    brands: brands.join(' '),
    logo: logo?.name ?? '',
    favicon: favicon?.name ?? '',
  }
  return { rows: [{ merchant: Number(subject), ...shown }] }
}
