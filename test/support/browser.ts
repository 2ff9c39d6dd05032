import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before } from 'node:test'
import packedChromium from '@sparticuz/chromium'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

const projectFolder = join(import.meta.dirname, '../..')

export type Screen = { readonly width: number; readonly height: number }
export const screens = [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 900 }],
] as const satisfies readonly [string, Screen][]

export type TestBrowser = {
  open(screen: Screen, options?: BrowserContextOptions): Promise<BrowserContext>
}

// A real Chromium for one describe. Call it once, at its top.
export function useBrowser(): () => TestBrowser {
  let browser: Browser | null = null
  before(async () => {
    // The package's own arguments switch the security off that the tests are about.
    browser = await chromium.launch({ executablePath: await unpackedChromium(), args: ['--no-sandbox'] })
  })
  after(() => browser?.close())
  return () => ({
    open: async (screen, options = {}) => {
      if (!browser) throw new Error('The browser exists only while tests run')
      // Without these two, Chromium takes the machine's own, and under a C locale Intl throws.
      const usual = { viewport: screen, locale: 'en-US', timezoneId: 'America/New_York' }
      return browser.newContext({ ...usual, ...options })
    },
  })
}

// The package unpacks under a fixed name in the system's temporary folder and takes whatever is there
// already, of any version. So it gets a folder of its own, named by its version, which is moved into place
// only when it is complete.
async function unpackedChromium(): Promise<string> {
  const folder = join(projectFolder, '.cache', `chromium-${await packedVersion()}`)
  if (!existsSync(folder)) {
    await mkdir(join(projectFolder, '.cache'), { recursive: true })
    const fresh = await mkdtemp(`${folder}-`)
    try {
      await unpackInto(fresh)
      await rename(fresh, folder)
    } catch (error) {
      // Another run may have been faster.
      if (!existsSync(folder)) throw error
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  }
  return join(folder, 'chromium')
}

async function packedVersion(): Promise<string> {
  const path = join(projectFolder, 'node_modules/@sparticuz/chromium/package.json')
  const { version }: { version: string } = JSON.parse(await readFile(path, 'utf8'))
  return version
}

function unpackInto(folder: string): Promise<string> {
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    // Where to unpack is read before the first wait, so the rest of the process never sees the change.
    return packedChromium.executablePath()
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}
