/**
 * An alert rule while it is edited. It may be incomplete: what is missing is left out of the
 * request, and the server names the field.
 */
import type { Item } from '../../../../http/use-pages.ts'

export type Rule = Item<'GET /api/v1/projects/{project_id}/alerts'>
export type ConditionType = Rule['when'][number]['type']
export type Target = Rule['then'][number]
export type TargetType = Target['type']
export type Filter = Rule['if']
export type QuietHours = NonNullable<Rule['quiet_hours']>

export interface DraftCondition {
  /** Stays the same while the list changes. */
  readonly key: string
  readonly type: ConditionType
  readonly fields: Readonly<Record<string, unknown>>
}

export interface DraftTarget {
  readonly key: string
  readonly type: TargetType
  /** What was typed. Secrets of a stored target are empty, and stay as they are. */
  readonly fields: Readonly<Record<string, unknown>>
  /** As it is stored; undefined for a new one. */
  readonly stored?: Target
  readonly enabled: boolean
}

export interface RuleDraft {
  readonly name: string
  readonly enabled: boolean
  readonly when: readonly DraftCondition[]
  readonly if: Filter
  readonly then: readonly DraftTarget[]
  readonly cooldown_seconds: number | undefined
  readonly digest_seconds: number | undefined
  readonly quiet_hours: QuietHours | null
  readonly muted_until: string | null
}

let lastKey = 0
export function nextKey(): string {
  lastKey += 1
  return `new-${lastKey}`
}

const conditionDefaults: Partial<Record<ConditionType, Readonly<Record<string, unknown>>>> = {
  event_count: { threshold: 100, window_seconds: 3_600, compared_to: 'absolute' },
  user_count: { threshold: 50, window_seconds: 3_600, compared_to: 'absolute' },
  crash_free_rate: {
    of: 'sessions',
    below_percent: 99,
    window_seconds: 86_400,
    sessions_min: 100,
  },
  quota: { percents: [80, 100] },
  outcomes: {
    outcomes: ['rejected', 'client_discard'],
    percent: 10,
    items_min: 100,
    window_seconds: 3_600,
  },
  bounce_rate: { of: 'bounces', above_percent: 5, emails_min: 100, window_seconds: 86_400 },
}

export function newCondition(type: ConditionType): DraftCondition {
  return { key: nextKey(), type, fields: conditionDefaults[type] ?? {} }
}

export function newTarget(type: TargetType): DraftTarget {
  const fields = type === 'email' ? { to: ['owners'] } : type === 'opsgenie' ? { region: 'us' } : {}
  return { key: nextKey(), type, fields, enabled: true }
}

export function newDraft(type: ConditionType = 'new_issue'): RuleDraft {
  return {
    name: '',
    enabled: true,
    when: [newCondition(type)],
    if: {},
    then: [newTarget('email')],
    cooldown_seconds: 1_800,
    digest_seconds: 600,
    quiet_hours: null,
    muted_until: null,
  }
}

export function draftOf(rule: Rule): RuleDraft {
  return {
    name: rule.name,
    enabled: rule.enabled,
    when: rule.when.map(({ type, ...fields }, index) => ({ key: `${index}`, type, fields })),
    if: rule.if,
    then: rule.then.map((target) => ({
      key: target.id,
      type: target.type,
      fields: shownFields(target),
      stored: target,
      enabled: target.enabled,
    })),
    cooldown_seconds: rule.cooldown_seconds,
    digest_seconds: rule.digest_seconds,
    quiet_hours: rule.quiet_hours,
    muted_until: rule.muted_until,
  }
}

/** Settings that are not secret. URLs of chat services are shown without their path. */
function shownFields(target: Target): Readonly<Record<string, unknown>> {
  if (target.type === 'email') return { to: target.to }
  if (target.type === 'webhook' || target.type === 'ntfy') return { url: target.url }
  if (target.type === 'telegram') return { chat_id: target.chat_id }
  if (target.type === 'opsgenie') return { region: target.region }
  return {}
}

export function bodyOf(draft: RuleDraft): Readonly<Record<string, unknown>> {
  return {
    ...draft,
    when: draft.when.map(({ type, fields }) => ({ type, ...fields })),
    if: filterOf(draft.if),
    // A new target is enabled; the field exists for stored ones only.
    then: draft.then.map(({ type, fields, stored, enabled }) => ({
      ...(stored === undefined ? {} : { id: stored.id, enabled }),
      type,
      ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')),
    })),
  }
}

/** For a preview: targets that are typed just now say nothing yet. */
export function previewBodyOf(draft: RuleDraft): Readonly<Record<string, unknown>> {
  const body = bodyOf({ ...draft, then: draft.then.filter(isStoredOrEmail) })
  return { ...body, name: draft.name.trim() === '' ? 'Preview' : draft.name }
}

function isStoredOrEmail({ type, stored, fields }: DraftTarget): boolean {
  if (stored !== undefined) return true
  return type === 'email' && Array.isArray(fields['to']) && fields['to'].length > 0
}

/** Empty lists and texts mean no filter. */
export function filterOf(filter: Filter): Filter {
  const entries = Object.entries(filter).filter(([name, value]) => {
    if (value === undefined || value === false || value === '') return false
    if (Array.isArray(value)) return value.length > 0
    return name !== 'tags' || Object.keys(value).length > 0
  })
  return Object.fromEntries(entries) as Filter
}

export function isChanged(draft: RuleDraft, stored: Rule): boolean {
  const before = draftOf(stored)
  return JSON.stringify(bodyOf(before)) !== JSON.stringify(bodyOf(draft))
}
