import type { MonitorChange } from '#schemas/rest/monitor.ts'
import { parseMonitorConfig } from '#schemas/wire/monitor-config.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { MonitorRules, StoredMonitor } from './monitor-store.ts'

/** Any schedule that is one: it stands in for none, so that the other rules are read alike. */
const anySchedule = { type: 'crontab', value: '@daily' }

/** The rules of a monitor after a change by a person, held to what a `monitor_config` is held to. */
export function changedRules(monitor: StoredMonitor, change: MonitorChange): MonitorRules {
  const { muted = monitor.muted, ...config } = change
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
  if (parsed.kind === 'invalid') {
    throw invalidField(parsed.field, parsed.rule)
  }
  return { ...parsed.config, schedule: hasSchedule ? parsed.config.schedule : null, muted }
}
