/**
 * One alert after the other, each of which dies or stops with its worker at another step between
 * the commit that causes it and the record of its delivery.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { Failpoint } from '#platform/failpoint.ts'
import { seededRandom } from '../../../bench/load/random.ts'
import { waitUntil } from '../../fixtures/processes/wait-until.ts'
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

const steps: readonly Pick<Failpoint, 'name' | 'action'>[] = [
  { name: 'workers.after_firings', action: { kind: 'kill' } },
  { name: 'alerts.before_notified', action: { kind: 'kill' } },
  { name: 'alerts.after_notified', action: { kind: 'kill' } },
  { name: 'deliveries.after_request', action: { kind: 'kill' } },
  // Another worker sends meanwhile; the stopped one wakes up with the result of a lost lease.
  { name: 'deliveries.after_request', action: { kind: 'pause' } },
]
/** A rule tells of an issue with more events. */
const threshold = 1
/** Events with these counters belong to the same issue. */
const issueEvery = 12
const actMsMax = 180_000
const settleMsMax = 180_000
const lookEveryMs = 500
const timePassesEveryMs = 250

/** Returns one sentence for each inconsistency; empty when there is none. */
export async function runAlertSteps(
  stack: FaultStack,
  stores: Stores,
  seed: number,
): Promise<readonly string[]> {
  const pg = stores.postgres
  const { receiver, box } = stack
  const planned = { monthlyEvents: null, issueEventsPerMinute: null }
  const project = await makeOneProject(pg, planned, 'Alert steps')
  const rules = await makeRules({ pg, box, receiver }, project, threshold)
  const seen = () =>
    rules.flatMap(({ targets }) => targets.flatMap(({ path }) => receiver.seenAt(path)))
  // The delivery at which the worker stops may be one that it repeats itself, after its death.
  const repeats = () => seen().reduce((sum, { accepted }) => sum + Math.max(0, accepted - 1), 0)
  const check = async () => {
    const stored = await readAlerts(pg, project.dsnId)
    const issues = stored.issues.length
    return [
      ...(issues === steps.length ? [] : [`${issues} issues of ${steps.length}`]),
      ...receiver.findings,
      ...checkAlerts(stored, { rules, seenAt: (path) => receiver.seenAt(path), isRestored: false }),
    ]
  }
  const runId = seededRandom(seed).hex(16)
  const sender = new Sender(stack.ingestUrls)
  const time = new PassingTime(pg, timePassesEveryMs)
  const [acting, ...others] = workersNames
  const missed: string[] = []
  try {
    // Any worker may send an alert, so the others are down until the failpoint has acted.
    await Promise.all(others.map((other) => stack.kill(other)))
    for (const [index, { name, action }] of steps.entries()) {
      const { body } = envelopeOfEvents({ runId }, [index, index + issueEvery])
      const answer = await sender.sendAnywhere(project, { body, gzip: false }, 0)
      if (answer.kind !== 'answered' || answer.status !== 200) missed.push(`${name}: not accepted`)
      const deadlineMs = systemClock.monotonicMs() + actMsMax
      const acted = await startAndAct(stack, acting, { name, action, pass: 1 }, deadlineMs)
      if (acted === 'not reached') missed.push(`${name} was not reached`)
      if (acted !== 'stopped') continue
      const before = repeats()
      await Promise.all(others.map((other) => stack.start(other)))
      const isRepeated = async () => before < repeats()
      await waitUntil('another worker to repeat the request', isRepeated, actMsMax)
      stack.signal(acting, 'SIGCONT')
    }
    await stack.heal()
    return [...missed, ...(await settle(check))]
  } finally {
    await time.end()
    sender.close()
  }
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
