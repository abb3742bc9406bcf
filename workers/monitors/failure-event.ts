/**
 * Builds the error event of a failed run. It passes through the same pipeline as any other event.
 * Its fingerprint makes it part of the issue of its monitor; the kind in the fingerprint is that of
 * the failure which opened the incident.
 */

import type { EventId } from '#schemas/ids.ts'
import { groupEvent } from '../grouping/group-v1.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { hexHash } from './count-result.ts'
import type { StoredMonitor } from './fold-monitor.ts'
import type { FailureKind, MonitorFailure } from './monitor-run.ts'

/** Client name in the record of such an event. */
export const monitorClient = 'sluice.monitors'

const reasons: Readonly<Record<FailureKind, string>> = {
  missed: 'A run was missed',
  overrunning: 'A run takes too long',
  error: 'A run ended with an error',
}

export function failureEvent(
  monitor: Pick<StoredMonitor, 'id' | 'slug' | 'config'>,
  failure: MonitorFailure & { readonly environment: string },
): Record<string, unknown> {
  const { id, slug, config } = monitor
  const { kind, run, atMs, environment, incident, lastOkMs } = failure
  return {
    event_id: run.eventId,
    timestamp: atMs / 1000,
    platform: 'other',
    level: 'error',
    environment,
    ...(run.release === undefined ? {} : { release: run.release }),
    transaction: reasons[kind],
    message: `Monitor failure: ${slug}`,
    fingerprint: fingerprintOf(slug, environment, incident.kind),
    tags: {
      'monitor.id': id,
      'monitor.slug': slug,
      'monitor.incident': hexHash([id, environment, incident.openedAtMs]),
      'monitor.failure': kind,
    },
    contexts: {
      monitor: {
        id,
        slug,
        name: slug,
        status: kind,
        config: {
          schedule: config.schedule,
          timezone: config.timezone,
          checkin_margin: config.checkinMargin,
          max_runtime: config.maxRuntime,
          failure_issue_threshold: config.failureIssueThreshold,
          recovery_threshold: config.recoveryThreshold,
        },
      },
      ...(run.trace === undefined ? {} : { trace: traceContext(run.trace) }),
    },
    extra: {
      reason: reasons[kind],
      run_id: run.id,
      ...times({
        expected_at: run.expectedAtMs,
        started_at: run.startedAtMs,
        last_ok_check_in: lastOkMs,
      }),
      ...(run.durationMs === undefined ? {} : { duration_ms: run.durationMs }),
    },
  }
}

/** Grouping hash of such events, by which their issue is found. */
export function failureHash(slug: string, environment: string, kind: FailureKind): string {
  const payload = {
    message: `Monitor failure: ${slug}`,
    fingerprint: fingerprintOf(slug, environment, kind),
  }
  const normalized = normalizeEvent({
    payload: Buffer.from(JSON.stringify(payload)),
    eventId: '1'.repeat(32) as EventId,
    receivedAtMs: 0,
  })
  if (normalized.kind !== 'event') throw new Error('an event of a monitor was refused')
  return groupEvent(normalized.event).hashes[0].hash
}

function fingerprintOf(slug: string, environment: string, kind: FailureKind): string[] {
  return ['cron', slug, environment, kind]
}

function traceContext({ traceId, spanId }: NonNullable<MonitorFailure['run']['trace']>) {
  return { trace_id: traceId, ...(spanId === undefined ? {} : { span_id: spanId }) }
}

function times(fields: Readonly<Record<string, number | undefined>>): Record<string, string> {
  const known: Record<string, string> = {}
  for (const [name, ms] of Object.entries(fields)) {
    if (ms !== undefined) known[name] = new Date(ms).toISOString()
  }
  return known
}
