/**
 * Compares the targets of a change with those that are stored. Nobody who changes a rule knows its
 * secrets, so a target keeps them when it comes back with its id, or as it was written or shown.
 */
import { checkTargetUrl, type TargetSettings } from '#platform/http/safe-request/target-url.ts'
import type { FieldError } from '#schemas/error-codes.ts'
import { AlertTarget, type AlertTargetChange } from '#schemas/rest/alerts/target.ts'
import { checkValue } from '../http/validation/validation-rules.ts'
import { newContent, type TargetContent } from './sealed-target.ts'
import { hiddenPart, shownTarget } from './shown-target.ts'

export interface OpenedTarget {
  readonly id: string
  readonly type: string
  /** Undefined if its settings cannot be read. */
  readonly content: TargetContent | undefined
}

export interface PlannedTarget {
  /** Undefined for a new one. */
  readonly id: string | undefined
  /** Undefined: they stay as they are. */
  readonly content: TargetContent | undefined
  /** Undefined: unchanged. */
  readonly isEnabled: boolean | undefined
  /** The secret of a new webhook, which is shown once. */
  readonly newSecret: string | undefined
  /** Recipients that the target did not have before. */
  readonly newRecipients: readonly string[]
}

export type TargetPlan =
  | {
      readonly kind: 'plan'
      readonly targets: readonly PlannedTarget[]
      readonly deleted: readonly string[]
    }
  | { readonly kind: 'invalid'; readonly errors: readonly [FieldError, ...FieldError[]] }

export function planTargets(
  wanted: readonly AlertTargetChange[],
  stored: readonly OpenedTarget[],
  settings: TargetSettings,
): TargetPlan {
  const errors: FieldError[] = []
  const claimed = new Set(wanted.flatMap(({ id }) => id?.toLowerCase() ?? []))
  const targets = wanted.flatMap((change, index): PlannedTarget[] => {
    const place = `then.${index}`
    const planned =
      change.id === undefined
        ? planUnnamed(
            change,
            stored.filter(({ id }) => !claimed.has(id)),
            place,
            settings,
          )
        : planNamed(change, stored, place, settings)
    if ('errors' in planned) {
      errors.push(...planned.errors)
      return []
    }
    if (planned.id !== undefined) claimed.add(planned.id)
    return [planned]
  })
  errors.push(...repeatedIds(wanted))
  const [first, ...others] = errors
  if (first !== undefined) return { kind: 'invalid', errors: [first, ...others] }
  const kept = new Set(targets.map(({ id }) => id))
  const deleted = stored.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
  return { kind: 'plan', targets, deleted }
}

type Planned = PlannedTarget | { readonly errors: readonly FieldError[] }

function planNamed(
  change: AlertTargetChange,
  stored: readonly OpenedTarget[],
  place: string,
  settings: TargetSettings,
): Planned {
  const before = stored.find(({ id }) => id === change.id?.toLowerCase())
  if (before === undefined) {
    const rule = 'must be the id of a target of the rule; leave it out to add a target'
    return { errors: [{ field: `${place}.id`, rule }] }
  }
  if (before.type !== change.type) {
    const rule = `must be ${before.type}, as the target is; leave out the id to add another target`
    return { errors: [{ field: `${place}.type`, rule }] }
  }
  const head = { id: before.id, isEnabled: change.enabled }
  const given = givenSettings(change, before.content)
  if (Object.keys(given).length === 0) return { ...head, ...unchanged }
  const merged: Record<string, unknown> = { ...before.content?.target, ...given, type: change.type }
  if (merged['token'] === null) delete merged['token']
  if (change.type === 'ntfy' && leaksToken(given, before.content)) {
    const rule = 'must be given again, or be null, when the url leads to another server'
    return { errors: [{ field: `${place}.token`, rule }] }
  }
  const checked = checkTarget(merged, place, settings)
  if (checked.errors !== undefined) return checked
  const { target } = checked
  const content = before.content ? { ...before.content, target } : newContent(target)
  const newRecipients = target.type === 'email' ? addedTo(target.to, before.content) : []
  // Settings that cannot be read are replaced, and with them the secret.
  const newSecret = before.content === undefined ? content.secrets[0]?.value : undefined
  return { ...head, content, newSecret, newRecipients }
}

const unchanged = { content: undefined, newSecret: undefined, newRecipients: [] } as const

function planUnnamed(
  change: AlertTargetChange,
  unclaimed: readonly OpenedTarget[],
  place: string,
  settings: TargetSettings,
): Planned {
  const same = unclaimed.find((one) => isSame(change, one))
  const isEnabled = change.enabled
  if (same !== undefined) {
    return { id: same.id, isEnabled, ...unchanged }
  }
  const { token, ...given }: Record<string, unknown> = givenSettings(change, undefined)
  const whole = token === undefined || token === null ? given : { ...given, token }
  const checked = checkTarget({ type: change.type, ...whole }, place, settings)
  if (checked.errors !== undefined) return checked
  const { target } = checked
  const newRecipients = target.type === 'email' ? target.to : []
  const content = newContent(target)
  return { id: undefined, content, newSecret: content.secrets[0]?.value, isEnabled, newRecipients }
}

/** Whether the target was sent back as it was written, or as it is shown. */
function isSame(change: AlertTargetChange, { type, content }: OpenedTarget): boolean {
  if (content === undefined || type !== change.type) return false
  const given = givenSettings(change, content)
  const target: Readonly<Record<string, unknown>> = content.target
  const isEqual = Object.entries(given).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(target[name]),
  )
  // What is left out must be what is not shown.
  const shown = shownTarget(content.target)
  const isWhole = Object.keys(shown).every(
    (name) => name === 'type' || Object.hasOwn(change, name) || name === 'has_token',
  )
  const hasSecret = Object.keys(target).every(
    (name) => Object.hasOwn(shown, name) || Object.hasOwn(change, name),
  )
  const { url } = change as { url?: string }
  return isEqual && isWhole && (hasSecret || url?.endsWith(hiddenPart) === true)
}

/** The settings of the change without its state and without a URL that is as shown. */
function givenSettings(change: AlertTargetChange, content: TargetContent | undefined) {
  const {
    id: _id,
    type: _type,
    enabled: _enabled,
    disabled_at: _at,
    disabled_reason: _reason,
    paused_until: _until,
    ...given
  } = change
  const shown = content && shownTarget(content.target)
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        value !== undefined &&
        name !== 'has_token' &&
        !(name === 'url' && value === shown?.['url']),
    ),
  )
}

function leaksToken(given: Record<string, unknown>, content: TargetContent | undefined): boolean {
  const target = content?.target
  if (target?.type !== 'ntfy' || target.token === undefined) return false
  if (given['url'] === undefined || given['token'] !== undefined) return false
  const url = String(given['url'])
  return !URL.canParse(url) || new URL(url).origin !== new URL(target.url).origin
}

type CheckedTarget =
  | { readonly target: AlertTarget; readonly errors?: undefined }
  | { readonly errors: readonly FieldError[] }

function checkTarget(value: unknown, place: string, settings: TargetSettings): CheckedTarget {
  const checked = checkValue(AlertTarget, value, '')
  if (!checked.success) {
    return {
      errors: checked.errors.map((error) => ({ ...error, field: join(place, error.field) })),
    }
  }
  const { data: target } = checked
  if (!('url' in target)) return { target }
  const rule = urlRule(target.url, settings) ?? topicRule(target)
  return rule === undefined ? { target } : { errors: [{ field: `${place}.url`, rule }] }
}

/** No request can be written for another topic. */
function topicRule(target: AlertTarget & { readonly url: string }): string | undefined {
  if (target.type !== 'ntfy' || ntfyTopic.test(new URL(target.url).pathname)) return undefined
  return 'must end in a topic of letters, digits, dashes and underscores, such as https://ntfy.sh/my-topic'
}

const ntfyTopic = /^(?:\/[^/]+)*\/[-_A-Za-z0-9]{1,64}\/*$/

/** The rule that the URL breaks. */
export function urlRule(url: string, settings: TargetSettings): string | undefined {
  if (url.includes(hiddenPart)) {
    return `must be the whole URL: ${hiddenPart} stands for the part that is not shown`
  }
  const checked = checkTargetUrl(url, settings)
  return checked.kind === 'ok' ? undefined : checked.rule
}

const join = (place: string, field: string) => (field === '' ? place : `${place}.${field}`)

function addedTo(to: readonly string[], content: TargetContent | undefined): readonly string[] {
  const before = content?.target
  const known = new Set(before?.type === 'email' ? before.to : [])
  return to.filter((recipient) => !known.has(recipient))
}

function repeatedIds(wanted: readonly AlertTargetChange[]): FieldError[] {
  const ids = wanted.map(({ id }) => id?.toLowerCase())
  return ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) < index
      ? [{ field: `then.${index}.id`, rule: 'must not be the id of another entry' }]
      : [],
  )
}
