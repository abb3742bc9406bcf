/** Names of conditions, channels and filters. */
import { channelLabels } from '../../../../deliveries/channel-labels.ts'
import type { ConditionType, TargetType } from './draft.ts'

export interface ConditionGroup {
  readonly label: string
  readonly types: readonly { readonly type: ConditionType; readonly label: string }[]
}

export const conditionGroups: readonly ConditionGroup[] = [
  {
    label: 'Issues',
    types: [
      { type: 'new_issue', label: 'A new issue appears' },
      { type: 'regression', label: 'A resolved issue returns' },
      { type: 'escalation', label: 'An issue escalates' },
      { type: 'first_in_release', label: 'An issue occurs first in a release' },
      { type: 'event_count', label: 'An issue has many events' },
      { type: 'user_count', label: 'An issue affects many users' },
    ],
  },
  {
    label: 'Monitors and releases',
    types: [
      { type: 'monitor_failed', label: 'A monitor fails' },
      { type: 'monitor_recovered', label: 'A monitor recovers' },
      { type: 'crash_free_rate', label: 'The crash-free rate is low' },
    ],
  },
  {
    label: 'Quota and delivery',
    types: [
      { type: 'quota', label: 'The monthly quota is nearly used' },
      { type: 'outcomes', label: 'Many items are dropped' },
      { type: 'bounce_rate', label: 'Many emails bounce' },
    ],
  },
  {
    label: 'Ideas and feedback',
    types: [
      { type: 'new_idea', label: 'A new idea arrives' },
      { type: 'idea_status', label: 'The status of an idea changes' },
      { type: 'new_feedback', label: 'New feedback arrives' },
    ],
  },
]

export const channelTypes = Object.keys(channelLabels) as readonly TargetType[]

const issueConditions: ReadonlySet<string> = new Set(
  conditionGroups[0]!.types.map(({ type }) => type),
)
const environmentConditions: ReadonlySet<string> = new Set([
  'monitor_failed',
  'monitor_recovered',
  'crash_free_rate',
])

/** `if` applies to conditions about issues; its environment to some others as well. */
export function filterUse(types: readonly ConditionType[]): 'all' | 'environment' | 'none' {
  if (types.some((type) => issueConditions.has(type))) return 'all'
  return types.some((type) => environmentConditions.has(type)) ? 'environment' : 'none'
}

export function conditionLabel(type: string): string {
  const all = conditionGroups.flatMap(({ types }) => types)
  return all.find((one) => one.type === type)?.label ?? type
}

export const outcomeLabels: Readonly<Record<string, string>> = {
  rejected: 'rejected',
  over_quota: 'over quota',
  filtered: 'filtered',
  unsupported: 'unsupported',
  client_discard: 'dropped by clients',
}

/** 90 minutes, 1 hour, 7 days: the largest unit that divides. */
export function durationWords(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return '…'
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const
  const [size, name] = units.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? units[3]
  const count = seconds / size
  return `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`
}

/** `a`, `a or b`, `a, b or c`. */
export function joinWords(words: readonly string[], last: 'or' | 'and'): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
