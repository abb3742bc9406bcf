/**
 * Applies the check-ins of a range, and the minutes that pass in it, to the monitors: reads them
 * under locks, folds, and writes, all in the transaction that moves the cursor. So a check-in
 * counts once, and a missed run is decided with every earlier record of the stream.
 */

import type { PoolClient } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { fireMonitorRules } from '../alerts/fire-monitor-rules.ts'
import { readExistingProjects } from '../commit/issue-store.ts'
import { keepCorrections } from '../commit/outcome-correction-store.ts'
import { keepFailureEvents, keepRecoveries } from '../outbox/outbox-store.ts'
import {
  type CheckInRecord,
  type FoldedMonitor,
  foldMonitor,
  type MonitorResult,
  type RefusedCheckIn,
  type StoredRun,
} from './fold-monitor.ts'
import {
  createMonitors,
  lockMonitors,
  type MonitorName,
  readDueMonitors,
  readEnvironments,
  readFullProjects,
  readRuns,
  waitsForFrames,
} from './monitor-store.ts'
import { saveEnvironments, saveMonitors, saveRuns } from './monitor-writes.ts'
import { correctionsOf } from './refused-check-in.ts'

export interface MonitorRange {
  readonly partition: number
  readonly layout: IngestLayout
  readonly checkIns: readonly CheckInRecord[]
  /** Minutes that pass in the range, ascending. */
  readonly minutes: readonly number[]
}

/**
 * Returns undefined if there was nothing to do. Outcomes of refused check-ins are corrected in the
 * same transaction. @param projects existing projects. A check-in of any other project is dropped,
 * because its outcome cannot be seen.
 */
export async function commitMonitors(
  client: PoolClient,
  range: MonitorRange,
  projects: ReadonlySet<number>,
): Promise<MonitorResult | undefined> {
  const checkIns = range.checkIns.filter(({ projectId }) => projects.has(projectId))
  const nowMs = range.minutes.at(-1)
  const due = nowMs === undefined ? [] : await readDueMonitors(client, { ...range, nowMs })
  const named = inOrder(checkIns)
  const names = inOrder([...checkIns, ...due])
  if (names.length === 0) return undefined

  const isHeld = await waitsForFrames(client, range.partition)
  if (isHeld && checkIns.length === 0) return undefined
  const minutes = isHeld ? undefined : await inThePast(client, range.minutes)

  // Deleting a project locks it first and its monitors afterwards; this uses the same order.
  await readExistingProjects(client, [...new Set(due.map(({ projectId }) => projectId))])
  if (named.length > 0) await createMonitors(client, named)
  const folded = await foldAll(client, { names, due, checkIns, minutes })
  const refused = [
    ...(await refuseWithoutMonitor(client, checkIns, folded)),
    ...folded.flatMap(({ refusals }) => refusals),
  ]
  await saveMonitors(client, folded)
  await saveEnvironments(client, folded)
  await saveRuns(client, folded)
  await keepFailureEvents(client, folded)
  await keepRecoveries(client, folded)
  const firedRules = await fireMonitorRules(client, folded)
  await keepCorrections(client, correctionsOf(refused))
  return {
    failures: folded.reduce((count, { failures }) => count + failures.length, 0),
    refusals: refused.map(({ reason }) => reason),
    ...(firedRules.length === 0 ? {} : { firedRules }),
  }
}

/**
 * A project with too many monitors gets no new one. A monitor that a person deletes between two
 * statements is missing as well.
 */
async function refuseWithoutMonitor(
  client: PoolClient,
  checkIns: readonly CheckInRecord[],
  folded: readonly FoldedMonitor[],
): Promise<RefusedCheckIn[]> {
  const found = new Set(folded.map(({ monitor }) => keyOf(monitor)))
  const missing = checkIns.filter((checkIn) => !found.has(keyOf(checkIn)))
  if (missing.length === 0) return []
  const full = await readFullProjects(client, [
    ...new Set(missing.map(({ projectId }) => projectId)),
  ])
  return missing.map((checkIn) => ({
    checkIn,
    reason: full.has(checkIn.projectId) ? 'too_many_monitors' : 'monitor_deleted',
  }))
}

interface MonitorWork {
  readonly names: readonly MonitorName[]
  readonly due: readonly MonitorName[]
  readonly checkIns: readonly CheckInRecord[]
  readonly minutes: readonly number[] | undefined
}

async function foldAll(
  client: PoolClient,
  { names, due, checkIns, minutes }: MonitorWork,
): Promise<FoldedMonitor[]> {
  const locked = await lockMonitors(client, names)
  const ids = locked.map(({ id }) => id)
  const environments = await readEnvironments(client, ids)
  const asked = checkIns.map(({ projectId, checkInId, recordId }) => ({
    projectId,
    runId: checkInId ?? recordId,
  }))
  const runsOfMonitor = new Map<string, StoredRun[]>(ids.map((id) => [id, []]))
  const runById = new Map<string, StoredRun>()
  for (const { projectId, ...run } of await readRuns(client, ids, asked)) {
    runsOfMonitor.get(run.monitorId)?.push(run)
    runById.set(`${projectId} ${run.id}`, run)
  }
  const dueKeys = new Set(due.map(keyOf))
  const own = new Map<string, CheckInRecord[]>(names.map((name) => [keyOf(name), []]))
  for (const checkIn of checkIns) own.get(keyOf(checkIn))?.push(checkIn)
  return locked.map((monitor) => {
    const given = own.get(keyOf(monitor)) ?? []
    const foreign = given.flatMap(({ projectId, checkInId, recordId }) => {
      const run = runById.get(`${projectId} ${checkInId ?? recordId}`)
      return run === undefined || run.monitorId === monitor.id ? [] : run
    })
    const known = {
      ...monitor,
      isDue: dueKeys.has(keyOf(monitor)),
      environments: environments.get(monitor.id) ?? new Map(),
      runs: [...(runsOfMonitor.get(monitor.id) ?? []), ...foreign],
    }
    const folded = foldMonitor(known, given, minutes)
    // An id that two monitors claim in one range belongs to the first one.
    for (const run of folded.runs) runById.set(`${monitor.projectId} ${run.id}`, run)
    return folded
  })
}

/** Bounds the clock of ingest: a process whose clock is ahead must not make runs late. */
async function inThePast(client: PoolClient, minutes: readonly number[]): Promise<number[]> {
  if (minutes.length === 0) return []
  const { rows } = await client.query<{ now_ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',
  )
  const nowMs = rows[0]?.now_ms ?? 0
  return minutes.filter((minute) => minute <= nowMs)
}

/**
 * Each monitor once, by project and slug, so that two commits lock the same rows in the same order.
 */
function inOrder(names: readonly MonitorName[]): MonitorName[] {
  const once = new Map(
    names.map(({ projectId, slug }) => [keyOf({ projectId, slug }), { projectId, slug }]),
  )
  return [...once.values()].sort(
    (a, b) => a.projectId - b.projectId || (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0),
  )
}

function keyOf({ projectId, slug }: MonitorName): string {
  return `${projectId} ${slug}`
}
