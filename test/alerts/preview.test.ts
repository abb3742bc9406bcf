/**
 * The preview of a rule against what the workers fired: the same events, received minutes apart,
 * and generated rules. docs/alerts.md says where a preview is an estimate; these histories have
 * none of it.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { issueConditionTypes } from '#schemas/rest/alerts/condition.ts'
import {
  alertDeskOfThisFile,
  type DeskTenant,
  hourMs,
  minuteMs,
} from '../fixtures/alerts/alert-desk.ts'
import { Causes } from '../fixtures/alerts/causes.ts'
import { sdkEvent } from '../fixtures/alerts/sdk-event.ts'

const desk = alertDeskOfThisFile()

const names = ['sentry-node-11-error', 'sentry-python', 'sentry-browser-10-error'] as const
const environments = ['production', 'staging']
const sdkLevels = ['error', 'warning']

const event = fc.record({
  name: fc.constantFrom(...names),
  release: fc.constantFrom('shop@1.0.0', 'shop@1.1.0', 'shop@2.0.0'),
  environment: fc.constantFrom(...environments),
  level: fc.constantFrom(...sdkLevels),
  user: fc.record({ id: fc.constantFrom(...'abcdefghijkl') }),
})
const batch = fc.record({
  /** So far apart that the events of a minute are those of one commit. */
  afterMinutes: fc.integer({ min: 2, max: 4 }),
  seconds: fc.integer({ min: 0, max: 59 }),
  events: fc.array(event, { minLength: 1, maxLength: 8 }),
})

const someFilter = fc.record(
  {
    environment: fc.constantFrom(['production'], ['staging'], environments),
    level: fc.constantFrom(['error'], ['warning'], sdkLevels),
    release: fc.constantFrom(['shop@1*'], ['*2.0.0'], ['shop@*']),
    query: fc.constantFrom(
      '!user.id:a',
      'platform:python',
      'release:shop@1.1.0',
      'has:server_name',
    ),
  },
  { requiredKeys: [] },
)
const filter = fc.oneof(fc.constant({}), fc.constant({}), someFilter)
const window_seconds = fc.integer({ min: 1, max: 60 }).map((minutes) => minutes * 60)
const threshold = (type: 'event_count' | 'user_count') =>
  fc.oneof(
    fc.record({
      type: fc.constant(type),
      threshold: fc.integer({ min: 1, max: type === 'event_count' ? 25 : 8 }),
      window_seconds,
      compared_to: fc.constant('absolute'),
    }),
    fc.record({
      type: fc.constant(type),
      threshold: fc.constantFrom(1, 10, 50, 100),
      window_seconds,
      compared_to: fc.constant('previous_window'),
    }),
  )
const state = (type: 'new_issue' | 'regression' | 'escalation' | 'first_in_release') =>
  fc.record({ type: fc.constant(type) })
const counting = fc.oneof(
  threshold('event_count'),
  threshold('user_count'),
  state('new_issue'),
  state('first_in_release'),
)

const ruleOf = <T>(condition: fc.Arbitrary<T>) =>
  fc.oneof(
    fc.record({
      when: fc.array(condition, { minLength: 1, maxLength: 1 }),
      if: filter,
      cooldown_seconds: fc.constantFrom(0, 60, 600, 1_800),
    }),
    // Without a cooldown, several conditions that hold at once are told apart by the commit only.
    fc.record({
      when: fc.array(condition, { minLength: 2, maxLength: 3 }),
      if: filter,
      cooldown_seconds: fc.constantFrom(60, 600, 1_800),
    }),
  )

interface Firing {
  readonly issue: string
  readonly at: string
}

/** What each rule fired, and what its preview says. */
async function compare(
  tenant: DeskTenant,
  rules: readonly { readonly id: string; readonly rule: object }[],
): Promise<{ readonly types: string[]; readonly count: number }> {
  const types = new Set<string>()
  let count = 0
  for (const { id, rule } of rules) {
    const { rows } = await desk().api.pool.query<Firing & { type: string }>(
      `select issue_id as issue, at, type from alert_firings where rule_id = $1`,
      [id],
    )
    for (const { type } of rows) types.add(type)
    count += rows.length
    const body = { name: 'Tried', then: [], ...rule }
    const preview = await desk().ask(tenant, 'POST', '/alerts/preview', body)
    const said = preview.would_have_fired.map((one: { issue_id: string; at: string }) => ({
      issue: one.issue_id,
      at: new Date(one.at),
    }))
    const lines = (firings: readonly Firing[]) =>
      firings
        .map(({ issue, at }) => `${new Date(at).toISOString()} ${issue}`)
        .filter((line) => line >= preview.since)
        .sort()
    expect({ rule, more: preview.more, fired: lines(said) }).toEqual({
      rule,
      more: false,
      fired: lines(rows),
    })
  }
  return { types: [...types], count }
}

async function addRules(tenant: DeskTenant, rules: readonly { readonly when: object[] }[]) {
  const added: { id: string; rule: object }[] = []
  for (const rule of rules) added.push({ id: await desk().addRule(tenant, rule as never), rule })
  return added
}

test('thresholds, new issues and releases: a preview is what was fired', async () => {
  const tenant = await desk().tenant()
  const rules = await addRules(tenant, fc.sample(ruleOf(counting), { seed: 18, numRuns: 50 }))
  for (const { afterMinutes, seconds, events } of fc.sample(batch, { seed: 18, numRuns: 40 })) {
    const minute = Math.floor(desk().nowMs / minuteMs) + afterMinutes
    desk().api.time.nowMs = minute * minuteMs + seconds * 1_000
    await desk().receive(
      tenant,
      events.map(({ name, ...changes }) => ({ payload: sdkEvent(name, changes) })),
    )
  }
  const { types, count } = await compare(tenant, rules)
  expect(types.sort()).toEqual(['event_count', 'first_in_release', 'new_issue', 'user_count'])
  expect(count).toBeGreaterThan(40)
})

test('states: a preview is what was fired', async () => {
  const tenant = await desk().tenant()
  const scene = new Causes(desk(), tenant)
  const states = fc.oneof(state('new_issue'), state('regression'), state('escalation'))
  const rules = await addRules(tenant, fc.sample(ruleOf(states), { seed: 7, numRuns: 30 }))
  const send = async (changes: object, count = 1) => {
    desk().pass(3 * minuteMs)
    await scene.events(names[0], changes, count)
  }
  const production = { release: 'shop@1.0.0', environment: 'production' }
  await send(production)
  // A young issue does not escalate.
  desk().pass(7 * 24 * hourMs + hourMs)
  for (const environment of environments) {
    for (const release of ['shop@1.1.0', 'shop@2.0.0', 'shop@2.1.0']) {
      await scene.patchIssue({ resolved_in: 'now' })
      await send({ release: `${release}-${environment}`, environment, level: 'warning' })
      await send({ release: 'shop@9.0.0', environment })
    }
    await scene.patchIssue({ ignore_until: { events: 2 } })
    await send({ environment })
    await send({ environment })
  }
  desk().pass(hourMs)
  await send(production, 60)
  const { types, count } = await compare(tenant, rules)
  expect(types.sort()).toEqual(['escalation', 'new_issue', 'regression'])
  expect(count).toBeGreaterThan(50)
})

test('every condition about issues is compared', () => {
  const compared = ['event_count', 'first_in_release', 'new_issue', 'user_count']
  expect([...issueConditionTypes].sort()).toEqual([...compared, 'escalation', 'regression'].sort())
})
