import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import { startChild } from './child.ts'
import { checkDurability, checkpoint, countSessions } from './database-facts.ts'
import { type Gateway, makeHome } from './gateway.ts'
import {
  type Comparison,
  compareInRounds,
  type CpuPerRequest,
  describeNoise,
  type Sample,
  type Target,
} from './measure.ts'
import { type Bench, CheckFailed, type Figure, type Report, type Scenario } from './scenario.ts'
import { compareRefusals, refusalFigures, refusalVerdicts } from './sign-in-timing.ts'
import { median, quantile, spread } from './statistics.ts'

// Authenticate against a bare Fastify route with the same body in and out. Each sign-in leaves a session that
// survives a crash.

const path = `${authenticateContract.prefix}${authenticateContract.path}`
const ratioMin = 0.1
const startPatienceMs = 30_000
const mark = '"AuthSuccess":true'

async function run(bench: Bench): Promise<Report> {
  const home = makeHome(bench)
  const gateway = await home.start()
  bench.keep(() => gateway.stop())
  await checkDurability(gateway.db)
  const subject = subjectOf(gateway)
  const yardstick = await startYardstick(bench, subject)
  const comparison = await compareInRounds(bench, { yardstick, subject })
  const alone = await timeAlone(bench, { gateway, subject })
  const refusals = await compareRefusals(bench, { gateway, url: subject.url })
  await gateway.stop()
  const { ratio } = comparison
  return {
    figures: [...rateFigures(comparison), aloneFigure(alone), ...refusalFigures(refusals)],
    verdicts: [
      {
        passes: ratio >= ratioMin,
        sentence: `authenticate ÷ bare fastify: ${ratio.toFixed(3)} (limit ${ratioMin.toFixed(2)})`,
      },
      ...refusalVerdicts(refusals),
    ],
    details: { comparison, alone, refusals },
  }
}

function subjectOf({ baseUrl, processId, postmasterId, sandbox, db }: Gateway): Target {
  return {
    name: 'authenticate',
    url: `${baseUrl}${path}`,
    body: JSON.stringify({ AcctCode: sandbox.acctCode, Token: sandbox.token }),
    mark,
    processId,
    postmasterId,
    countRows: () => countSessions(db),
    settle: () => checkpoint(db),
  }
}

const Started = Type.Object({ baseUrl: Type.String() })

// It answers what the gateway has answered once, so that both send the same bytes.
async function startYardstick(bench: Bench, { url, body }: Target): Promise<Target> {
  const headers = { 'content-type': 'application/json' }
  const answer: unknown = await (await fetch(url, { method: 'POST', headers, body })).json()
  const child = startChild(import.meta.resolve('./bare-fastify.ts'))
  bench.keep(() => child.stop())
  const { baseUrl } = Parse(Started, await child.ask({ path, answer }, startPatienceMs))
  return {
    name: 'bare fastify',
    url: `${baseUrl}${path}`,
    body,
    mark,
    processId: child.processId,
    postmasterId: null,
    countRows: null,
    settle: async () => undefined,
  }
}

type Alone = { readonly count: number; readonly p50Ms: number; readonly p99Ms: number }

async function timeAlone(
  { load, extent }: Bench,
  { gateway, subject }: { gateway: Gateway; subject: Target },
): Promise<Alone> {
  const bodies = Array.from({ length: extent.seriesLength }, () => subject.body)
  const rowsBefore = await countSessions(gateway.db)
  const { ms, marked } = await load.series({ url: subject.url, bodies, mark })
  const rows = (await countSessions(gateway.db)) - rowsBefore
  if (rows !== bodies.length || marked !== bodies.length) {
    throw new CheckFailed(`one connection: ${bodies.length} sign-ins, ${marked} right, ${rows} sessions`)
  }
  return { count: ms.length, p50Ms: median(ms), p99Ms: quantile(ms, 0.99) }
}

function rateFigures({ rounds, ratio }: Comparison): readonly Figure[] {
  const ratios = spread(rounds.map((round) => round.ratio))
  const disturbed = rounds.filter(({ yardstick, subject }) => yardstick.isDisturbed || subject.isDisturbed)
  const clean = disturbed.length === 0 ? 'none disturbed' : `${disturbed.length} disturbed by other programs`
  return [
    ...rateFigure(
      'bare fastify',
      rounds.map(({ yardstick }) => yardstick),
    ),
    ...rateFigure(
      'authenticate',
      rounds.map(({ subject }) => subject),
    ),
    {
      what: 'authenticate ÷ bare fastify',
      value: ratio.toFixed(3),
      notes: `${rounds.length} rounds, ${ratios.least.toFixed(3)} to ${ratios.most.toFixed(3)}, ${clean}`,
    },
  ]
}

function rateFigure(name: string, samples: readonly Sample[]): readonly Figure[] {
  const { least, most } = spread(samples.map(({ perSecond }) => perSecond))
  const middle = (pick: (sample: Sample) => number, digits = 0): string =>
    median(samples.map(pick)).toFixed(digits)
  const rate = {
    what: `${name}, 64 connections`,
    value: `${middle(({ perSecond }) => perSecond)} /s`,
    notes:
      `${least.toFixed(0)} to ${most.toFixed(0)} /s, p50 ${middle(({ p50Ms }) => p50Ms, 1)} ms, ` +
      `p99 ${middle(({ p99Ms }) => p99Ms, 1)} ms, ${describeNoise(samples)}`,
  }
  if (samples.some(({ cpu }) => cpu === null)) return [rate]
  const us = (pick: keyof CpuPerRequest): string => middle(({ cpu }) => cpu?.[pick] ?? 0)
  const cpu = {
    what: `${name}, CPU per request`,
    value: `${middle((one) => (one.cpu?.serverUs ?? 0) + (one.cpu?.postgresUs ?? 0))} µs`,
    notes: `server ${us('serverUs')}, PostgreSQL ${us('postgresUs')}, load generator ${us('loadUs')}`,
  }
  return [rate, cpu]
}

function aloneFigure({ count, p50Ms, p99Ms }: Alone): Figure {
  return {
    what: 'authenticate, 1 connection',
    value: `p50 ${p50Ms.toFixed(2)} ms`,
    notes: `p99 ${p99Ms.toFixed(2)} ms, ${count} sign-ins`,
  }
}

export const authenticateScenario: Scenario = {
  name: 'authenticate',
  extents: ['smoke', 'quick', 'full'],
  quickSeconds: 25,
  run,
}
