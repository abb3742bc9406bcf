import type { MonitorChange } from '#schemas/rest/monitor.ts'
import { parseMonitorConfig } from '#schemas/wire/monitor-config.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { changeMonitor, type MonitorRules, type StoredMonitor } from './monitor-store.ts'

export interface UpdateMonitor {
  readonly project: StoredProject
  readonly slug: string
  readonly change: MonitorChange
}

/** Changes, mutes or snoozes a monitor. A field that is left out keeps its value. */
export async function updateMonitor(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { project, slug, change }: UpdateMonitor,
): Promise<StoredMonitor> {
  const name = { projectId: project.dsnId, slug }
  const { snooze_until } = change
  if (snooze_until != null && Date.parse(snooze_until) <= ctx.clock.nowMs()) {
    throw invalidField('snooze_until', 'must be a time in the future')
  }
  return ctx.pg.transaction(async (client) => {
    await addAudit(client, actor, {
      action: 'monitor.changed',
      subjectType: 'monitor',
      subjectId: slug,
      details: { project_id: project.id, ...change },
    })
    return found(await changeMonitor(client, name, (monitor) => changedRules(monitor, change)))
  })
}

/**
 * A valid schedule that replaces a missing one, so that the other rules are parsed in the same way.
 */
const anySchedule = { type: 'crontab', value: '@daily' }

/** The rules after the change. They must be valid as the `monitor_config` of a check-in. */
function changedRules(monitor: StoredMonitor, change: MonitorChange): MonitorRules {
  const { muted = monitor.muted, snooze_until, ...config } = change
  const merged = {
    schedule: monitor.schedule,
    timezone: monitor.timezone,
    checkin_margin: monitor.checkin_margin,
    max_runtime: monitor.max_runtime,
    failure_issue_threshold: monitor.failure_issue_threshold,
    recovery_threshold: monitor.recovery_threshold,
    ...config,
  }
  const hasSchedule = merged.schedule !== null
  const parsed = parseMonitorConfig(hasSchedule ? merged : { ...merged, schedule: anySchedule })
  if (parsed.kind === 'invalid') throw invalidField(parsed.field, parsed.rule)
  return {
    ...parsed.config,
    schedule: hasSchedule ? parsed.config.schedule : null,
    muted,
    snoozedUntil: snoozedUntil(monitor, snooze_until),
  }
}

function snoozedUntil(monitor: StoredMonitor, until: MonitorChange['snooze_until']): Date | null {
  if (until === undefined) return monitor.snoozed_until
  return until === null ? null : new Date(until)
}
