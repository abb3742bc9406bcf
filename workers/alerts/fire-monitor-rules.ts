/**
 * Lets alert rules fire about monitors that failed and recovered, in the transaction that decides
 * it. A rule fires once in an incident, for the first failure of a kind that it asks for. Muted
 * monitors have no failures here.
 */
import type { PoolClient } from '#platform/postgres.ts'
import type { FoldedMonitor } from '../monitors/fold-monitor.ts'
import type { FailureKind, MonitorRun } from '../monitors/monitor-run.ts'
import { addFirings, type FiringCause } from './cause-store.ts'

export function fireMonitorRules(
  client: PoolClient,
  folded: readonly FoldedMonitor[],
): Promise<readonly string[]> {
  return addFirings(client, folded.flatMap(causesOf))
}

function causesOf({ monitor, failures, recoveries }: FoldedMonitor): readonly FiringCause[] {
  const { projectId, id, slug } = monitor
  const about = (environment: string) => ({ monitor: { id, slug, environment } })
  // Later failures of an incident have its cause, too: they are not even tried.
  const opened = new Map<string, FiringCause>()
  for (const { kind, run, atMs, incident, environment } of failures) {
    const cause = `monitor:${id}:${environment}:${incident.openedAtMs}`
    const key = `${cause} ${kind}`
    if (opened.has(key)) continue
    opened.set(key, {
      projectId,
      type: 'monitor_failed',
      cause,
      value: kind,
      reason: failureReason(kind, run),
      data: { ...about(environment), numbers: { kind } },
      atMs,
    })
  }
  const ended = recoveries
    .filter(({ incident }) => incident.lastEventMs !== undefined)
    .map(
      ({ incident, atMs, environment }): FiringCause => ({
        projectId,
        type: 'monitor_recovered',
        cause: `recovered:${id}:${environment}:${incident.openedAtMs}`,
        reason: `It works again, after ${formatMinutes(atMs - incident.openedAtMs)}.`,
        data: about(environment),
        atMs,
      }),
    )
  return [...opened.values(), ...ended]
}

function failureReason(kind: FailureKind, { expectedAtMs, startedAtMs }: MonitorRun): string {
  switch (kind) {
    case 'missed':
      return expectedAtMs === undefined
        ? 'A run did not begin in time.'
        : `The run of ${formatTime(expectedAtMs)} did not begin in time.`
    case 'overrunning':
      return startedAtMs === undefined
        ? 'A run did not end in time.'
        : `The run that began at ${formatTime(startedAtMs)} did not end in time.`
    case 'error':
      return 'A run ended with an error.'
  }
}

function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function formatMinutes(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
