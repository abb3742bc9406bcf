/** The shape of a drill, and how one runs: clients, fault, repair, quiet, accounting. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { findLosses } from './accounting.ts'
import { DrillClients } from './drill-clients.ts'
import type { DrillStack } from './drill-stack.ts'
import { describeSamples, type Probe } from './probe.ts'
import { ReadinessWatch } from './readiness-watch.ts'

export interface Drill {
  readonly name: string
  /** What happens, as a sentence for the table. */
  readonly fault: string
  /** What an operator does about it; `nothing` if the product recovers by itself. */
  readonly operator: string
  /** How long the fault lasts: longer while an expected alert has not fired, up to `alertMsMax`. */
  readonly seconds: number
  /** Alerts that must fire during the fault and be clear afterwards. */
  readonly alerts?: readonly string[]
  /** Clients that must not notice anything but slower answers. */
  readonly unharmed: readonly ('SDK' | 'API' | 'Email')[]
  readonly inject: (stack: DrillStack) => Promise<void>
  readonly repair: (stack: DrillStack) => Promise<void>
  /** Undefined: the drill runs everywhere. Otherwise why it cannot run here. */
  readonly impossible?: (stack: DrillStack) => string | undefined
}

export interface DrillResult {
  readonly drill: Drill
  /** Set when the drill did not run. */
  readonly skipped?: string
  /** What each client saw, by its name. */
  readonly seen: Readonly<Record<string, string>>
  /** Processes that were not ready, with the seconds. */
  readonly notReady: string
  /** Alerts that fired. */
  readonly fired: readonly string[]
  /** Seconds from the repair until every process was ready and every alert was clear. */
  readonly recoverySeconds: number
  /** What should not have happened; empty when the drill passed. */
  readonly findings: readonly string[]
}

/** Undisturbed time before the fault, in which every client must be served. */
const beforeMs = 2_000
const afterMs = 2_000
const readyMsMax = 90_000
const alertMsMax = 60_000
/** An alert is evaluated over the last minutes in some rules. */
const clearMsMax = 420_000
const pollMs = 500

export async function runDrill(stack: DrillStack, drill: Drill): Promise<DrillResult> {
  const reason = drill.impossible?.(stack)
  const empty = { drill, seen: {}, notReady: '', fired: [], recoverySeconds: 0, findings: [] }
  if (reason !== undefined) return { ...empty, skipped: reason }
  const project = await stack.project(`drill ${drill.name}`)
  const clients = new DrillClients(stack, project)
  const readiness = new ReadinessWatch(stack)
  const expected = drill.alerts ?? []
  const fired = new Set<string>()
  const silent = () =>
    stack.prometheus === undefined ? [] : expected.filter((name) => !fired.has(name))
  const findings: string[] = []
  await waitUntil('no alert', async () => (await firing(stack)).size === 0, clearMsMax)
  await stack.forgetSentEmails()
  for (const probe of clients.all) probe.start()
  readiness.start()
  await sleep(beforeMs)
  const startedMs = systemClock.monotonicMs()
  try {
    await drill.inject(stack)
    const untilMs = startedMs + drill.seconds * 1000
    const hasTime = (ms: number) => systemClock.monotonicMs() < untilMs + ms
    while (hasTime(0) || (silent().length > 0 && hasTime(alertMsMax))) {
      for (const name of await firing(stack)) fired.add(name)
      await sleep(pollMs)
    }
  } finally {
    await drill.repair(stack)
  }
  const repairedMs = systemClock.monotonicMs()
  await waitUntil('every process to be ready', () => readiness.allReady(), readyMsMax).catch(() =>
    findings.push(`not ready again: ${readiness.describe(repairedMs)}`),
  )
  await sleep(afterMs)
  for (const probe of clients.all) await probe.stop()
  findings.push(...(await findLosses(stack, clients.promises)))
  await waitUntil(
    'the alerts to be clear',
    async () => {
      const now = await firing(stack)
      for (const name of now) fired.add(name)
      return expected.every((name) => !now.has(name))
    },
    clearMsMax,
  ).catch(() => findings.push('an alert did not clear'))
  const recoverySeconds = (systemClock.monotonicMs() - repairedMs) / 1000
  readiness.stop()
  for (const name of silent()) findings.push(`alert ${name} did not fire`)
  findings.push(...harmed(clients.all, drill, startedMs))
  return {
    drill,
    seen: Object.fromEntries(clients.all.map((probe) => [probe.name, describe(probe, startedMs)])),
    notReady: readiness.describe(startedMs),
    fired: [...fired].sort(),
    recoverySeconds,
    findings,
  }
}

async function firing({ prometheus }: DrillStack): Promise<ReadonlySet<string>> {
  return (await prometheus?.firing()) ?? new Set()
}

function describe({ samples, good }: Probe, sinceMs: number): string {
  return describeSamples(
    samples.filter(({ startedMs }) => startedMs >= sinceMs),
    good,
  )
}

function harmed(probes: readonly Probe[], drill: Drill, startedMs: number): string[] {
  return probes.flatMap(({ name, good, samples }) => {
    const before = samples.filter((sample) => sample.startedMs < startedMs)
    const isServed = before.some(({ answer }) => answer === good)
    const mustBeFine = drill.unharmed.some((unharmed) => unharmed === name)
    const isHarmed = mustBeFine && samples.some(({ answer }) => answer !== good)
    return [
      ...(isServed ? [] : [`${name} was not served before the fault`]),
      ...(isHarmed ? [`${name} was harmed: ${describeSamples(samples, good)}`] : []),
    ]
  })
}
