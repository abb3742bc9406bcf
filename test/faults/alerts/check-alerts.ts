/**
 * Compares the alerts that one project must have with what Postgres stores and with what the
 * receiver has seen. It is a pure function, so tests show that it finds a lost alert, one that is
 * told twice, and one without a delivery.
 *
 *   issue ─▶ a firing for each rule that holds ─▶ one notification ─▶ a delivery for each target
 */
import type { SeenWebhook } from './alert-receiver.ts'
import type { StoredAlerts, StoredDelivery, StoredFiring } from './read-alerts.ts'
import type { RoundRule } from './round-rules.ts'

export interface AlertCheckOptions {
  readonly rules: readonly RoundRule[]
  readonly seenAt: (path: string) => readonly SeenWebhook[]
  /**
   * An older Postgres was put back. It has forgotten what was told since its copy, and has issues
   * that the reconciliation has created, about which no rule fires as new. Everything that it
   * stores must still be told once.
   */
  readonly isRestored: boolean
}

const examplesMax = 3

/** Returns one sentence for each inconsistency; empty when there is none. */
export function checkAlerts(stored: StoredAlerts, options: AlertCheckOptions): string[] {
  const known = new Set(options.rules.map(({ id }) => id))
  const foreign = stored.firings.filter(({ ruleId }) => !known.has(ruleId))
  return [
    ...when(foreign.length > 0, `${foreign.length} firings are of other rules`),
    ...when(stored.disabledTargets > 0, `${stored.disabledTargets} targets are disabled`),
    ...options.rules.flatMap((rule) =>
      [
        ...checkFirings(stored, rule, options),
        ...checkNotifications(stored, rule),
        ...checkDeliveries(stored, rule, options),
      ].map((finding) => `rule ${rule.kind}: ${finding}`),
    ),
  ]
}

/** Issues about which the rule for new issues has not fired. */
export function untoldIssues(stored: StoredAlerts, rules: readonly RoundRule[]): number {
  const rule = rules.find(({ kind }) => kind === 'new_issue')
  const fired = new Set(firingsOf(stored, rule?.id).map(({ issueId }) => issueId))
  return stored.issues.filter(({ id }) => !fired.has(id)).length
}

/** Each issue that fulfils the condition has one firing, and no other has any. */
function checkFirings(
  stored: StoredAlerts,
  rule: RoundRule,
  { isRestored }: AlertCheckOptions,
): string[] {
  const firings = groupBy(firingsOf(stored, rule.id), ({ issueId }) => issueId)
  const counts = new Map(
    stored.counts.flatMap((each) => (each.ruleId === rule.id ? [[each.issueId, each]] : [])),
  )
  const findings = stored.issues.flatMap(({ id, count }) => {
    const of = firings.get(id) ?? []
    const causes = of.filter(({ cause }) => cause.startsWith(`${causeOf[rule.kind]}:${id}`))
    const { events = 0, steps = 1 } = counts.get(id) ?? {}
    // The reconciliation counts events of issues, and none of rules.
    const isMiscounted =
      rule.kind === 'event_count' && (isRestored ? events > count : events !== count)
    const [least, most] = expected(rule, { events, steps, isRestored })
    return [
      ...when(isMiscounted, `${events} events are counted, the issue has ${count}`),
      ...when(of.length < least, `an issue with ${count} events has no firing`),
      ...when(of.length > most, `an issue with ${count} events has ${of.length} firings`),
      ...when(causes.length < of.length, `a firing has the cause ${of[0]?.cause}`),
    ]
  })
  const issues = new Set(stored.issues.map(({ id }) => id))
  const strange = [...firings.keys()].filter((id) => !issues.has(id))
  return [...findings.slice(0, examplesMax), ...some(strange, 'firings are about unknown issues')]
}

const causeOf = {
  new_issue: 'new',
  event_count: 'event_count',
  first_in_release: 'release',
} as const

/** The least and the largest number of firings about an issue. */
function expected(
  { kind, threshold }: RoundRule,
  { events, steps, isRestored }: { events: number; steps: number; isRestored: boolean },
): readonly [number, number] {
  if (kind !== 'event_count') return [isRestored ? 0 : 1, 1]
  if (events <= threshold) return [0, 0]
  // When a step of the window ends in the middle of a round, a range that was received before the
  // end does not see what is counted after it.
  return [steps === 1 ? 1 : 0, 1]
}

/** Each firing is in one notification, which has one delivery for each target. */
function checkNotifications(stored: StoredAlerts, rule: RoundRule): string[] {
  const firings = firingsOf(stored, rule.id)
  const waiting = firings.filter(({ notificationId }) => notificationId === null)
  const notified = groupBy(
    firings.filter(({ notificationId }) => notificationId !== null),
    ({ notificationId }) => String(notificationId),
  )
  const deliveries = groupBy(deliveriesOf(stored, rule), ({ notificationId }) => notificationId)
  const wanted = rule.targets.map(({ id }) => id).sort()
  const findings = [...notified].flatMap(([id, told]) => {
    const of = deliveries.get(id) ?? []
    const got = of.map(({ targetId }) => targetId).sort()
    const wrong = of.filter((delivery) => delivery.told !== told.length)
    return [
      ...when(
        got.join() !== wanted.join(),
        `a notification of ${told.length} firings has ${got.length} deliveries for ${wanted.length} targets`,
      ),
      ...when(
        wrong.length > 0,
        `a notification of ${told.length} firings tells of ${wrong[0]?.told}`,
      ),
    ]
  })
  const empty = [...deliveries.keys()].filter((id) => !notified.has(id))
  return [
    ...when(waiting.length > 0, `${waiting.length} firings are in no notification`),
    ...some(empty, 'notifications have deliveries and no firing'),
    ...findings.slice(0, examplesMax),
  ]
}

/** Each delivery arrived, under its own id, as it is stored. */
function checkDeliveries(
  stored: StoredAlerts,
  rule: RoundRule,
  { seenAt, isRestored }: AlertCheckOptions,
): string[] {
  const deliveries = deliveriesOf(stored, rule)
  const findings = rule.targets.flatMap(({ id: targetId, path }) => {
    const seen = new Map(seenAt(path).map((each) => [each.id, each]))
    const own = deliveries.filter((delivery) => delivery.targetId === targetId)
    const ids = new Set(own.map(({ id }) => id))
    const strange = [...seen.keys()].filter((id) => !ids.has(id))
    return [
      ...own.flatMap((delivery) => checkDelivery(delivery, seen.get(delivery.id))),
      ...(isRestored ? [] : some(strange, 'webhooks were received that are no delivery')),
    ]
  })
  return findings.slice(0, examplesMax)
}

function checkDelivery(delivery: StoredDelivery, seen: SeenWebhook | undefined): string[] {
  const { id, state, isFinished, answered, lastStatus, body } = delivery
  if (state !== 'delivered') return [`delivery ${id} is ${state}`]
  const isSuccess = lastStatus !== null && 200 <= lastStatus && lastStatus < 300
  return [
    ...when(!isFinished, `delivery ${id} is delivered and has a next attempt`),
    ...when(!isSuccess, `delivery ${id} is delivered after the status ${lastStatus}`),
    ...when((seen?.accepted ?? 0) === 0, `delivery ${id} is delivered and was never accepted`),
    ...when(
      (seen?.requests ?? 0) < answered,
      `delivery ${id} has ${answered} answers to ${seen?.requests ?? 0} requests`,
    ),
    ...when(seen !== undefined && seen.body !== body, `delivery ${id} was sent with another body`),
  ]
}

function firingsOf({ firings }: StoredAlerts, ruleId: string | undefined): readonly StoredFiring[] {
  return firings.filter((firing) => firing.ruleId === ruleId)
}

function deliveriesOf({ deliveries }: StoredAlerts, { id }: RoundRule): readonly StoredDelivery[] {
  return deliveries.filter(({ ruleId }) => ruleId === id)
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

function some(ids: readonly string[], what: string): string[] {
  return when(ids.length > 0, `${ids.length} ${what}: ${ids.slice(0, examplesMax).join(', ')}`)
}

function when(condition: boolean, finding: string): string[] {
  return condition ? [finding] : []
}
