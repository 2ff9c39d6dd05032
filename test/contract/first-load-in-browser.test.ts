import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CDPSession } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { orderForm } from '../support/form-client.ts'
import { fillCard, formScreens } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const bytesMax = 25_000
const slowness = 4
// The form with everything that can be asked for, and fees.
const fullest = [{ MerchID: 2 }, { eVisible: 'FFFF', eReadOnly: '0040', eSubmission: '0608' }] as const

type Fetched = { readonly path: string; readonly bytes: number; readonly by: string }

// What came over the wire for one address, as the browser counted it, once nothing is under way any more.
function watchNetwork(session: CDPSession): () => Promise<readonly Fetched[]> {
  const asked = new Map<string, { readonly path: string; readonly by: string }>()
  const fetched: Fetched[] = []
  let told = Promise.withResolvers<void>()
  session.on('Network.requestWillBeSent', ({ requestId, request, initiator }) => {
    if (!request.url.startsWith('data:'))
      asked.set(requestId, { path: new URL(request.url).pathname, by: initiator.type })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = asked.get(requestId)
    if (one) fetched.push({ ...one, bytes: encodedDataLength })
    told.resolve()
    told = Promise.withResolvers()
  })
  return async () => {
    while (fetched.length < asked.size) await told.promise
    return fetched
  }
}

describe('the first load of the hosted form', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function load(screen: Screen, look: (visit: Loaded) => Promise<void>) {
    await using context = await browser().open(screen)
    const page = await context.newPage()
    // Slowed, on a machine that may be busy.
    page.setDefaultTimeout(120_000)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
    await page.addInitScript(`
      window.shifts = []
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) shifts.push({ value, hadRecentInput })
      }).observe({ type: 'layout-shift', buffered: true })`)
    const fetched = watchNetwork(session)
    await page.goto(await orderForm(gateway(), ...fullest))
    await fetched()
    const { metrics } = await session.send('Performance.getMetrics')
    const busyMs = Math.round((metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000)
    await look({
      busyMs,
      evaluate: (text) => page.evaluate(text),
      type: async () => {
        await fillCard(page)
        await page.locator('#fee-note', { hasText: 'Includes a card fee of $3.75' }).waitFor()
      },
    })
    return fetched()
  }
  type Loaded = {
    // Of the page's main thread, slowness included; waiting for others is not.
    readonly busyMs: number
    readonly evaluate: (text: string) => Promise<unknown>
    readonly type: () => Promise<void>
  }

  for (const screen of formScreens) {
    test(`at ${screen.width} pixels all of it is small, comes at once, and nothing jumps`, async (t) => {
      const fetched = await load(screen, async ({ evaluate, type, busyMs }) => {
        assert.deepEqual(await evaluate('shifts'), [], 'nothing moved while it was loading')
        await type()
        assert.deepEqual(
          await evaluate('shifts.filter((one) => !one.hadRecentInput)'),
          [],
          'nor while typing',
        )
        const readyMs = await evaluate(
          "Math.round(performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd)",
        )
        t.diagnostic(
          `slowed ${slowness} times: interactive after ${String(readyMs)} ms, busy for ${busyMs} ms`,
        )
      })
      const beginning = fetched.filter(({ path }) => !/\/(?:fee|state)$/.test(path))
      const bytes = beginning.reduce((sum, one) => sum + one.bytes, 0)
      t.diagnostic(`${beginning.length} files, ${bytes} bytes with their headers`)
      assert(beginning.length > 2 && bytes < bytesMax, `${bytes} bytes`)
      const late = beginning.filter(({ by, path }) => by !== 'parser' && !path.endsWith('PF.aspx'))
      assert.deepEqual(late, [], 'the page itself names all that is needed, so one round trip fetches it')
    })
  }
})
