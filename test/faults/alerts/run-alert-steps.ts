/**
 * One alert after the other, each of which dies or stops with its worker at another step between
 * the commit that causes it and the record of its delivery.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { FailpointAction, FailpointName } from '#platform/failpoint.ts'
import { seededRandom } from '../../../bench/load/random.ts'
import { startAndAct } from '../apply-faults.ts'
import type { FaultStack } from '../fault-stack.ts'
import { workersNames } from '../plan-faults.ts'
import { envelopeOfEvents } from '../plan-load.ts'
import type { Stores } from '../read-stores.ts'
import { makeOneProject } from '../round-projects.ts'
import { Sender } from '../send-load.ts'
import { checkAlerts } from './check-alerts.ts'
import { PassingTime } from './pass-time.ts'
import { readAlerts } from './read-alerts.ts'
import { makeRules } from './round-rules.ts'

export const alertSteps = [
  'workers.after_firings',
  'alerts.before_notified',
  'alerts.after_notified',
  'deliveries.after_request',
] as const satisfies readonly FailpointName[]

const actMsMax = 30_000
const settleMsMax = 45_000
const lookEveryMs = 250
const timePassesEveryMs = 250
/** Another worker finds what a stopped one has begun. */
const stoppedMs = 1_500
/** Events with these counters belong to the same issue. */
const issueEvery = 12

export async function runAlertSteps(
  stack: FaultStack,
  stores: Stores,
  { seed, steps, kind }: AlertSteps,
): Promise<{ readonly findings: readonly string[]; readonly requests: number }> {
  const pg = stores.postgres
  const { receiver, box } = stack
  const planned = { monthlyEvents: null, issueEventsPerMinute: null }
  const project = await makeOneProject(pg, planned, `Alert steps, ${kind}`)
  const rules = await makeRules({ pg, box, receiver }, project, 1)
  const runId = seededRandom(seed).hex(16)
  const sender = new Sender(stack.ingestUrls)
  const time = new PassingTime(pg, timePassesEveryMs)
  const [acting, ...others] = workersNames
  const missed: string[] = []
  try {
    for (const [index, name] of steps.entries()) {
      await Promise.all(others.map((other) => stack.kill(other)))
      const { body } = envelopeOfEvents({ runId }, [index, index + issueEvery])
      const answer = await sender.sendAnywhere(project, { body, gzip: false }, 0)
      if (answer.kind !== 'answered' || answer.status !== 200) missed.push(`${name}: not accepted`)
      const deadlineMs = systemClock.monotonicMs() + actMsMax
      const point = { name, action: { kind }, pass: 1 }
      const acted = await startAndAct(stack, acting, point, deadlineMs)
      if (acted === 'not reached') missed.push(`${name} was not reached`)
      if (acted !== 'stopped') continue
      await Promise.all(others.map((other) => stack.start(other)))
      await sleep(stoppedMs)
      stack.signal(acting, 'SIGCONT')
    }
    await stack.heal()
    const options = { rules, seenAt: (path: string) => receiver.seenAt(path), isRestored: false }
    const check = async () => {
      const stored = await readAlerts(pg, project.dsnId)
      const issues = stored.issues.length
      const lost = issues === steps.length ? [] : [`${issues} issues of ${steps.length}`]
      return [...lost, ...receiver.findings, ...checkAlerts(stored, options)]
    }
    const findings = [...missed, ...(await settle(check))]
    const seen = rules.flatMap(({ targets }) =>
      targets.flatMap(({ path }) => receiver.seenAt(path)),
    )
    return { findings, requests: seen.reduce((most, one) => Math.max(most, one.requests), 0) }
  } finally {
    await time.end()
    sender.close()
  }
}

export interface AlertSteps {
  readonly seed: number
  readonly steps: readonly FailpointName[]
  readonly kind: Extract<FailpointAction['kind'], 'kill' | 'pause'>
}

/** What is still found when there are no findings twice in a row, or at the deadline. */
async function settle(check: () => Promise<string[]>): Promise<string[]> {
  const deadlineMs = systemClock.monotonicMs() + settleMsMax
  let agreed = 0
  while (true) {
    await sleep(lookEveryMs)
    const findings = await check().catch((error: unknown) => [`unreadable: ${error}`])
    agreed = findings.length === 0 ? agreed + 1 : 0
    if (agreed === 2 || systemClock.monotonicMs() > deadlineMs) return findings
  }
}
