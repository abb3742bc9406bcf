/**
 * The configuration of a monitor, from `monitor_config` in a check-in or from the API. Both are
 * validated here by the same rules. Numbers may be text, as some clients send them.
 */
import { type Crontab, parseCrontab } from './crontab.ts'
import { isJsonObject } from './read-json.ts'
import { isTimeZone } from './time-zone.ts'

export const intervalUnits = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type IntervalUnit = (typeof intervalUnits)[number]

/** The form in which a schedule is stored and displayed. */
export type Schedule =
  | { readonly type: 'crontab'; readonly value: string }
  | { readonly type: 'interval'; readonly value: number; readonly unit: IntervalUnit }

export interface MonitorConfig {
  readonly schedule: Schedule
  readonly timezone: string
  /** Minutes. */
  readonly checkinMargin: number
  /** Minutes. */
  readonly maxRuntime: number
  readonly failureIssueThreshold: number
  readonly recoveryThreshold: number
}

/** `field` violates `rule`. */
export interface ConfigError {
  readonly kind: 'invalid'
  readonly field: string
  readonly rule: string
}

export type ParsedConfig = { readonly kind: 'config'; readonly config: MonitorConfig } | ConfigError

export type ParsedSchedule =
  | { readonly kind: 'crontab'; readonly crontab: Crontab }
  | { readonly kind: 'interval'; readonly value: number; readonly unit: IntervalUnit }

/** 28 days in minutes. */
export const monitorMinutesMax = 40_320
export const monitorThresholdMax = 720
export const checkinMarginDefault = 1
export const maxRuntimeDefault = 30
const intervalValueMax = 100_000
/** A bound that no schedule exceeds in practice. */
const intervalYearsMax = 10

const unitsPerYear: Readonly<Record<IntervalUnit, number>> = {
  minute: 527_040,
  hour: 8_784,
  day: 366,
  week: 53,
  month: 12,
  year: 1,
}

export function parseMonitorConfig(sent: unknown): ParsedConfig {
  if (!isJsonObject(sent)) return invalid('monitor_config', 'must be an object')
  const schedule = parseSchedule(sent['schedule'])
  if ('field' in schedule) return schedule
  const { timezone = null } = sent
  if (
    timezone !== null &&
    timezone !== '' &&
    !(typeof timezone === 'string' && isTimeZone(timezone))
  ) {
    return invalid('timezone', 'must be a name of the tz database')
  }
  const minutes = (field: string, missing: number) =>
    readWhole(sent[field], { field, missing, max: monitorMinutesMax })
  const threshold = (field: string) =>
    readWhole(sent[field], { field, missing: 1, max: monitorThresholdMax })
  const checkinMargin = minutes('checkin_margin', checkinMarginDefault)
  const maxRuntime = minutes('max_runtime', maxRuntimeDefault)
  const failureIssueThreshold = threshold('failure_issue_threshold')
  const recoveryThreshold = threshold('recovery_threshold')
  if (typeof checkinMargin !== 'number') return checkinMargin
  if (typeof maxRuntime !== 'number') return maxRuntime
  if (typeof failureIssueThreshold !== 'number') return failureIssueThreshold
  if (typeof recoveryThreshold !== 'number') return recoveryThreshold
  return {
    kind: 'config',
    config: {
      schedule,
      timezone: timezone || 'UTC',
      checkinMargin,
      maxRuntime,
      failureIssueThreshold,
      recoveryThreshold,
    },
  }
}

export function parseSchedule(sent: unknown): Schedule | ConfigError {
  if (!isJsonObject(sent)) return invalid('schedule', 'must be an object with type and value')
  const { type, value, unit } = sent
  if (type === 'crontab') {
    if (typeof value !== 'string') return invalid('schedule.value', 'must be a crontab')
    const parsed = parseCrontab(value)
    if (parsed.kind === 'invalid') return invalid('schedule.value', parsed.rule)
    return { type, value: value.trim() }
  }
  if (type !== 'interval') return invalid('schedule.type', 'must be crontab or interval')
  const known = intervalUnits.find((name) => name === unit)
  if (known === undefined) {
    return invalid('schedule.unit', `must be one of ${intervalUnits.join(', ')}`)
  }
  const count = readNumber(value)
  const max = Math.min(intervalValueMax, intervalYearsMax * unitsPerYear[known])
  if (!Number.isInteger(count) || count < 1 || max < count) {
    return invalid('schedule.value', `must be a whole number from 1 to ${max}`)
  }
  return { type, value: count, unit: known }
}

/** Parses a stored schedule. */
export function readSchedule(schedule: Schedule): ParsedSchedule {
  if (schedule.type === 'interval') {
    return { kind: 'interval', value: schedule.value, unit: schedule.unit }
  }
  const parsed = parseCrontab(schedule.value)
  if (parsed.kind === 'invalid') throw new Error(`a stored crontab ${parsed.rule}`)
  return parsed
}

/** Absent and zero mean the monitor's default. Fractions are rounded up. */
function readWhole(
  sent: unknown,
  {
    field,
    missing,
    max,
  }: { readonly field: string; readonly missing: number; readonly max: number },
): number | ConfigError {
  if (sent === undefined || sent === null) return missing
  const value = Math.ceil(readNumber(sent))
  if (value === 0) return missing
  return 0 < value && value <= max ? value : invalid(field, `must be a number from 0 to ${max}`)
}

function readNumber(sent: unknown): number {
  if (typeof sent === 'number') return sent
  return typeof sent === 'string' && /^\s*\d{1,10}\s*$/.test(sent) ? Number(sent) : Number.NaN
}

function invalid(field: string, rule: string): ConfigError {
  return { kind: 'invalid', field, rule }
}
