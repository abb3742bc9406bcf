import { describe, expect, test } from 'vitest'
import type { SeenWebhook } from './alert-receiver.ts'
import { checkAlerts, untoldIssues } from './check-alerts.ts'
import type { StoredAlerts, StoredDelivery, StoredFiring } from './read-alerts.ts'
import type { RoundRule } from './round-rules.ts'

const rules: readonly RoundRule[] = [
  { id: 'new', kind: 'new_issue', threshold: 3, targets: targetsOf('new') },
  { id: 'count', kind: 'event_count', threshold: 3, targets: targetsOf('count') },
]

function targetsOf(rule: string): RoundRule['targets'] {
  return ['a', 'b'].map((name) => ({ id: `${rule}-${name}`, path: `/${rule}-${name}` }))
}

interface State {
  issues: { id: string; count: number }[]
  firings: StoredFiring[]
  deliveries: StoredDelivery[]
  counts: { ruleId: string; issueId: string; events: number; steps: number }[]
  disabledTargets: number
  seen: SeenWebhook[]
}

function delivery(ruleId: string, target: string, told: number): StoredDelivery {
  const notificationId = `${ruleId}-told`
  const id = `${notificationId}-${target}`
  const state = { state: 'delivered', isFinished: true, answered: 1, lastStatus: 204 }
  return { id, ruleId, targetId: `${ruleId}-${target}`, notificationId, ...state, body: id, told }
}

function seen(ruleId: string, target: string): SeenWebhook {
  const id = `${ruleId}-told-${target}`
  return { id, path: `/${ruleId}-${target}`, body: id, requests: 2, accepted: 1 }
}

function firing(ruleId: string, cause: string, issueId: string): StoredFiring {
  return { ruleId, issueId, cause: `${cause}:${issueId}`, notificationId: `${ruleId}-told` }
}

/** Two new issues in one digest; one of them has more events than the threshold. */
function sound(): State {
  return {
    issues: [
      { id: 'one', count: 3 },
      { id: 'two', count: 4 },
    ],
    firings: [
      firing('new', 'new', 'one'),
      firing('new', 'new', 'two'),
      firing('count', 'event_count', 'two'),
    ],
    deliveries: [
      ...['a', 'b'].map((target) => delivery('new', target, 2)),
      ...['a', 'b'].map((target) => delivery('count', target, 1)),
    ],
    counts: [
      { ruleId: 'count', issueId: 'one', events: 3, steps: 1 },
      { ruleId: 'count', issueId: 'two', events: 4, steps: 2 },
    ],
    disabledTargets: 0,
    seen: ['new', 'count'].flatMap((rule) => ['a', 'b'].map((target) => seen(rule, target))),
  }
}

function check(state: State, isRestored = false): string[] {
  const stored: StoredAlerts = state
  const seenAt = (path: string) => state.seen.filter((one) => one.path === path)
  return checkAlerts(stored, { rules, seenAt, isRestored })
}

test('a consistent project has no findings', () => {
  expect(check(sound())).toEqual([])
  expect(check(sound(), true)).toEqual([])
  expect(untoldIssues(sound(), rules)).toBe(0)
})

describe('inconsistencies are found, also in a Postgres that was put back', () => {
  // biome-ignore format: the columns are the point
  test.each<[string, (state: State) => unknown, RegExp]>([
    ['an issue with two firings', (s) => s.firings.push(firing('new', 'new', 'one')), /has 2 firings/],
    ['a firing of another cause', (s) => { s.firings[0] = firing('new', 'returned', 'one') }, /has the cause returned:one/],
    ['a firing below the threshold', (s) => s.firings.push(firing('count', 'event_count', 'one')), /with 3 events has 1 firings/],
    ['no firing above the threshold', (s) => { s.firings.splice(2); s.counts[1]!.steps = 1 }, /has no firing/],
    ['a firing about no issue', (s) => s.firings.push(firing('new', 'new', 'gone')), /unknown issues: gone/],
    ['a firing of another rule', (s) => s.firings.push(firing('other', 'new', 'one')), /of other rules/],
    ['more events counted than there are', (s) => { s.counts[0]!.events = 4 }, /4 events are counted, the issue has 3/],
    ['a firing that waits', (s) => { s.firings[0] = { ...s.firings[0]!, notificationId: null } }, /1 firings are in no notification/],
    ['a target without a delivery', (s) => s.deliveries.shift(), /has 1 deliveries for 2 targets/],
    ['a target with two deliveries', (s) => s.deliveries.push({ ...delivery('new', 'a', 2), id: 'x' }), /has 3 deliveries for 2 targets/],
    ['two deliveries for one target', (s) => { s.deliveries[0] = { ...s.deliveries[1]! } }, /has 2 deliveries for 2 targets/],
    ['a notification of nothing', (s) => s.deliveries.push({ ...delivery('new', 'a', 1), notificationId: 'x' }), /no firing: x/],
    ['a digest of too few', (s) => { s.deliveries[0] = { ...s.deliveries[0]!, told: 1 } }, /of 2 firings tells of 1/],
    ['a pending delivery', (s) => { s.deliveries[0] = { ...s.deliveries[0]!, state: 'pending' } }, /is pending/],
    ['a failed delivery', (s) => { s.deliveries[0] = { ...s.deliveries[0]!, state: 'failed' } }, /is failed/],
    ['a delivered one with a next attempt', (s) => { s.deliveries[0] = { ...s.deliveries[0]!, isFinished: false } }, /has a next attempt/],
    ['a delivered one after an error', (s) => { s.deliveries[0] = { ...s.deliveries[0]!, lastStatus: 500 } }, /after the status 500/],
    ['one that nobody received', (s) => s.seen.shift(), /was never accepted/],
    ['one that nobody accepted', (s) => { s.seen[0]!.accepted = 0 }, /was never accepted/],
    ['an answer to no request', (s) => { s.deliveries[0] = { ...s.deliveries[0]!, answered: 3 } }, /has 3 answers to 2 requests/],
    ['another body', (s) => { s.seen[0] = { ...s.seen[0]!, body: '' } }, /with another body/],
    ['a disabled target', (s) => { s.disabledTargets = 1 }, /1 targets are disabled/],
  ])('%s', (_name, spoil, finding) => {
    for (const isRestored of [false, true]) {
      const state = sound()
      spoil(state)
      expect(check(state, isRestored).join('\n')).toMatch(finding)
    }
  })
})

describe('what only a Postgres that was put back may lack', () => {
  // biome-ignore format: the columns are the point
  test.each<[string, (state: State) => unknown, RegExp]>([
    ['an issue without a firing', (s) => { s.issues.push({ id: 'three', count: 0 }) }, /with 0 events has no firing/],
    ['events that no rule has counted', (s) => { s.counts[0]!.events = 2 }, /2 events are counted, the issue has 3/],
    ['a webhook that is no delivery', (s) => { s.seen.push({ ...seen('new', 'a'), id: 'forgotten' }) }, /no delivery: forgotten/],
  ])('%s', (_name, spoil, finding) => {
    const state = sound()
    spoil(state)
    expect(check(state).join('\n')).toMatch(finding)
    expect(check(state, true)).toEqual([])
  })
})

test('issues without a firing as new are counted', () => {
  const state = sound()
  state.issues.push({ id: 'three', count: 9 })
  expect(untoldIssues(state, rules)).toBe(1)
})

test('an issue whose events lie in two steps of the window may fire or not', () => {
  const state = sound()
  state.firings.pop()
  state.deliveries.splice(2)
  state.seen.splice(2)
  expect(check(state)).toEqual([])
})
