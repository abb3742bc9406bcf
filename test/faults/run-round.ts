/**
 * One round: new projects, load and faults at the same time, then healing. The projects are checked
 * until they are consistent twice in a row or the time is up; findings that remain then are the
 * findings of the round.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { seededRandom } from '../../bench/load/random.ts'
import { checkAlerts, untoldIssues } from './alerts/check-alerts.ts'
import { PassingTime, passTime } from './alerts/pass-time.ts'
import { readAlerts } from './alerts/read-alerts.ts'
import { applyFaults } from './apply-faults.ts'
import { checkProject } from './check-round.ts'
import type { FaultStack } from './fault-stack.ts'
import { findLeftLogs } from './left-logs.ts'
import { type ReconcileTally, reconcileStores } from './losses/restore-postgres.ts'
import {
  allowanceOf,
  type Fault,
  ingestNames,
  losesMessages,
  planFaults,
  restoreEveryDefault,
  withRestore,
} from './plan-faults.ts'
import { envelopeOfEvents, type LoadPlan, planLoad, projectRoles } from './plan-load.ts'
import { QuotaWatch } from './quota-watch.ts'
import type { Stores } from './read-stores.ts'
import { RoundLedger } from './round-ledger.ts'
import { makeProjects } from './round-projects.ts'
import { type Ledgers, type RoundProjects, Sender } from './send-load.ts'

export interface RoundOptions {
  readonly seed: number
  readonly round: number
  /**
   * INGEST_DURABILITY of the ingest processes. With `broker`, the broker must not lose messages.
   */
  readonly durability?: 'log' | 'broker'
  /** About every n-th round puts an older Postgres back. */
  readonly restoreEvery?: number | undefined
  readonly onProgress?: (sentence: string) => void
}

export interface RoundResult {
  readonly round: number
  readonly faults: readonly Fault[]
  /** Inconsistencies; empty if the round is green. */
  readonly findings: readonly string[]
  /** Faults that failed, and crashes; neither is a defect of the product. */
  readonly notes: readonly string[]
  /** Failpoints that acted. */
  readonly failpoints: readonly string[]
  readonly answers: ReadonlyMap<string, number>
  /** How the receiver of webhooks answered. */
  readonly receiverAnswers: ReadonlyMap<string, number>
  readonly events: number
  /** Stored files of events. */
  readonly files: number
  readonly seconds: number
  readonly settleSeconds: number
  /** Checks the projects once more, after all rounds. */
  readonly recheck: () => Promise<string[]>
}

const loadMs = 3_000
const settleMsMax = 180_000
/** Each look reads all rows of the projects. */
const lookEveryMs = 500
/** During the load. Rules tell what they fired several times then. */
const timePassesEveryMs = 400
const receiverHealsAfterMs = 2_500
const reportEveryMs = 5_000
/** Events that are sent at once after everything has healed. */
const extraMax = 30

export async function runRound(
  stack: FaultStack,
  stores: Stores,
  { seed, round, durability, restoreEvery, onProgress }: RoundOptions,
): Promise<RoundResult> {
  const startedAtMs = systemClock.monotonicMs()
  const plan = planRoundLoad(seed, round)
  const faults = planRoundFaults(seed, round, restoreEvery).filter(
    (fault) => durability !== 'broker' || !losesMessages(fault),
  )
  stack.mark(`round ${round}`)
  const { receiver, box } = stack
  receiver.trouble(roundSeed(seed, round) ^ 0x7f4a_7c15)
  const made = { pg: stores.postgres, box, receiver }
  const projects = await makeProjects(made, plan, `Round ${round}`)
  const ledgers = ledgersOf(plan)
  const sender = new Sender(stack.ingestUrls)
  const allowance = allowanceOf(faults)
  const limit = (plan.projects.limited.monthlyEvents ?? 0) + allowance
  const isRestored = faults.some(({ kind }) => kind === 'restore_postgres')
  const tally: ReconcileTally = { issuesCreated: 0, isWhole: true }
  const time = new PassingTime(stores.postgres, timePassesEveryMs)
  const watch = new QuotaWatch(stores, projects.limited.dsnId, limit)
  try {
    const [notes] = await Promise.all([
      applyFaults(stack, faults, { loadMs, tally }),
      sender.sendAll(plan, projects, ledgers),
    ])
    const healedAtMs = systemClock.monotonicMs()
    const unhealed = await tryToHeal(stack)
    // Later than the rest, because most alerts are sent only now.
    const healing = sleep(receiverHealsAfterMs).then(() => receiver.heal())
    // Another fault may have stopped the reconciliation.
    await time.end()
    if (isRestored) notes.push(`after healing: ${await reconcileStores(stack, tally)}`)
    stack.mark(`round ${round}: healed`)
    const checked = { stack, stores, projects, ledgers, allowance, isRestored, tally }
    const settling = { ...checked, plan, sender, onProgress }
    const unsettled = unhealed.length > 0 ? unhealed : await settle(settling)
    const endedAtMs = systemClock.monotonicMs()
    await healing
    const { files } = await stores.read(projects.unlimited.dsnId)
    return {
      round,
      faults,
      findings: [...unsettled, ...(await watch.end())],
      notes: [...notes, ...stack.takeCrashes()],
      failpoints: stack.takeFailpoints(),
      answers: sumAnswers(ledgers),
      receiverAnswers: receiver.takeAnswers(),
      events: projectRoles.reduce((sum, role) => sum + ledgers[role].sentCount, 0),
      files: files.length,
      seconds: (endedAtMs - startedAtMs) / 1000,
      settleSeconds: (endedAtMs - healedAtMs) / 1000,
      recheck: () => check(checked),
    }
  } finally {
    await time.end()
    receiver.heal()
    await watch.end()
    sender.close()
  }
}

/** The same for the same seed and round, independent of earlier rounds. */
export function planRoundLoad(seed: number, round: number): LoadPlan {
  return planLoad(roundSeed(seed, round), {
    durationMs: loadMs,
    ingestCount: ingestNames.length,
  })
}

export function planRoundFaults(
  seed: number,
  round: number,
  restoreEvery = restoreEveryDefault,
): Fault[] {
  const faults = planFaults(seededRandom(roundSeed(seed, round) ^ 0x5bd1_e995), loadMs)
  const random = seededRandom(roundSeed(seed, round) ^ 0x3c6e_f372)
  return withRestore(faults, random, { durationMs: loadMs, every: restoreEvery })
}

function roundSeed(seed: number, round: number): number {
  return (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(round + 1, 0x85eb_ca6b)) >>> 0
}

async function tryToHeal(stack: FaultStack): Promise<string[]> {
  try {
    await stack.heal()
    return []
  } catch (error) {
    return [`not everything recovered: ${error instanceof Error ? error.message : String(error)}`]
  }
}

interface Checked {
  readonly stack: FaultStack
  readonly stores: Stores
  readonly projects: RoundProjects
  readonly ledgers: Ledgers
  readonly allowance: number
  readonly isRestored: boolean
  readonly tally: ReconcileTally
}

interface Settling extends Checked {
  readonly plan: LoadPlan
  readonly sender: Sender
  readonly onProgress: ((sentence: string) => void) | undefined
}

/**
 * Sends more events to the limited project, as long as it has quota, until all projects are
 * consistent.
 */
async function settle(settling: Settling): Promise<string[]> {
  const deadlineMs = systemClock.monotonicMs() + settleMsMax
  let reportAtMs = systemClock.monotonicMs() + reportEveryMs
  let extraNext = settling.plan.projects.limited.eventCount
  let agreed = 0
  while (true) {
    extraNext = await offerMore(settling, extraNext)
    if (agreed === 0) await passTime(settling.stores.postgres).catch(() => undefined)
    await sleep(lookEveryMs)
    const findings = await checkAll(settling).catch((error: unknown) => [`unreadable: ${error}`])
    agreed = findings.length === 0 ? agreed + 1 : 0
    if (agreed === 2) return []
    const nowMs = systemClock.monotonicMs()
    if (nowMs > deadlineMs) return findings
    if (nowMs > reportAtMs) {
      reportAtMs = nowMs + reportEveryMs
      settling.onProgress?.(`still waiting: ${findings[0] ?? 'no findings'}`)
    }
  }
}

async function checkAll(settling: Settling): Promise<string[]> {
  return [...(await check(settling)), ...(await findLeftLogs(settling.stack))]
}

async function check(checked: Checked): Promise<string[]> {
  const { stores, projects, ledgers, allowance, isRestored } = checked
  const findings = await Promise.all(
    projectRoles.map(async (role) => {
      const stored = await stores.read(projects[role].dsnId)
      return checkProject(ledgers[role], stored, { quotaUsedUp: true, allowance, isRestored })
    }),
  )
  return [...findings.flat(), ...(await checkAllAlerts(checked))]
}

async function checkAllAlerts(checked: Checked): Promise<string[]> {
  const { stack, stores, projects, isRestored, tally } = checked
  const { receiver } = stack
  let untold = 0
  const findings: string[] = [...receiver.findings]
  for (const role of projectRoles) {
    const { dsnId, rules } = projects[role]
    const stored = await readAlerts(stores.postgres, dsnId)
    const options = { rules, seenAt: (path: string) => receiver.seenAt(path), isRestored }
    findings.push(...checkAlerts(stored, options).map((finding) => `${role}: ${finding}`))
    untold += untoldIssues(stored, rules)
  }
  // Nobody is told of the issues that a reconciliation creates, and of no others.
  if (isRestored && tally.isWhole && untold !== tally.issuesCreated) {
    findings.push(`${untold} issues are untold, ${tally.issuesCreated} were created by reconciling`)
  }
  return findings
}

/** Sends a few more events than the quota has left, so that the limit is reached exactly. */
async function offerMore(settling: Settling, extraFirst: number): Promise<number> {
  const { stores, plan, projects, ledgers, sender } = settling
  const project = plan.projects.limited
  const counts = await stores.readCounts(projects.limited.dsnId).catch(() => undefined)
  const room = counts === undefined ? 0 : (project.monthlyEvents ?? 0) - counts.used
  if (room <= 0) return extraFirst
  const count = Math.min(room + 2, extraMax)
  const counters = Array.from({ length: count }, (_, index) => extraFirst + index)
  await Promise.all(
    counters.map(async (counter) => {
      const { body, items } = envelopeOfEvents(project, [counter])
      const request = { body, gzip: false }
      ledgers.limited.record(items, await sender.sendAnywhere(projects.limited, request, counter))
    }),
  )
  return extraFirst + counters.length
}

function ledgersOf(plan: LoadPlan): Ledgers {
  return {
    unlimited: new RoundLedger(plan.projects.unlimited),
    limited: new RoundLedger(plan.projects.limited),
    sampled: new RoundLedger(plan.projects.sampled),
  }
}

function sumAnswers(ledgers: Ledgers): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const role of projectRoles) {
    for (const [answer, count] of ledgers[role].answers) {
      sums.set(answer, (sums.get(answer) ?? 0) + count)
    }
  }
  return sums
}
