import { beforeAll, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import {
  apiOfThisFile,
  at,
  type NewEvent,
  type NewIssue,
  type Tenant,
} from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let empty: Tenant

/** Minutes from the fixture's now. */
const hour = 60
const day = 24 * hour

interface Story extends NewIssue {
  readonly name: string
  readonly createdAt: number
  readonly activity?: readonly (readonly [kind: string, at: number, data?: object])[]
}

const stories: readonly Story[] = [
  {
    name: 'old',
    createdAt: -30 * day,
    activity: [
      ['regressed', -2 * hour, { release: 'shop@2' }],
      ['regressed', -20 * day],
    ],
  },
  { name: 'new', createdAt: -5 * hour },
  { name: 'staged', createdAt: -4 * hour },
  {
    name: 'busy',
    createdAt: -20 * day,
    activity: [
      ['escalating', -3 * hour, { count: 90, expected: 10 }],
      ['returned', -1 * hour],
    ],
  },
]
const ids = new Map<string, string>()
const nameOf = (id: string) => [...ids].find(([, known]) => known === id)?.[0]

let eventCount = 0
function events(
  hash: string,
  minute: number,
  count: number,
  fields: Partial<NewEvent> = {},
): NewEvent[] {
  return Array.from({ length: count }, (): NewEvent => {
    eventCount += 1
    return {
      id: `event ${eventCount}`,
      hash,
      receivedAt: at(minute),
      environment: 'production',
      ...fields,
    }
  })
}

beforeAll(async () => {
  tenant = await api().tenant('Previews', accessScopes)
  empty = await api().tenant('Empty', accessScopes)
  for (const { name, createdAt, activity = [], ...issue } of stories) {
    const id = await api().addIssue(tenant, {
      ...issue,
      title: name,
      hashes: [name, `${name} too`],
    })
    ids.set(name, id)
    await api().pool.query('update issues set created_at = $2 where id = $1', [id, at(createdAt)])
    for (const [kind, minute, data = {}] of activity) {
      await api().pool.query(
        `insert into issue_activity (issue_id, kind, actor, data, at) values ($1, $2, '{"type": "system"}', $3, $4)`,
        [id, kind, data, at(minute)],
      )
    }
  }
  await api().addEvents(tenant, [
    ...events('old', -20 * day, 1, { release: 'shop@1' }),
    ...events('old', -2 * hour, 1, { release: 'shop@2', level: 'fatal' }),
    ...events('new', -5 * hour, 1, { release: 'shop@1', tags: { host: 'a-1' } }),
    ...events('staged', -4 * hour, 1, { environment: 'staging' }),
    // In production only later, when it was not new any more.
    ...events('staged', -3 * hour, 1),
    ...events('busy', -3 * hour, 3, { user_id: '1' }),
    ...events('busy too', -3 * hour + 1, 2, { user_id: '2' }),
    ...events('busy', -hour, 5, { user_id: '1' }),
  ])
})

async function preview(fields: object, of = tenant) {
  const body = { name: 'Tried', cooldown_seconds: 0, ...fields }
  const answer = await api().of(of, '/alerts/preview', { method: 'POST', body })
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body
}

async function fired(fields: object): Promise<string[]> {
  const { would_have_fired, more } = await preview(fields)
  expect(more).toBe(false)
  return would_have_fired.map((one: { issue_id: string; at: string }) => {
    const minutes = (Date.parse(one.at) - Date.parse(at(0))) / 60_000
    return `${nameOf(one.issue_id)} ${minutes}`
  })
}

interface Named {
  readonly id: string
  readonly firing_count: number
}

const when = (...types: string[]) => ({ when: types.map((type) => ({ type })) })
const count = (type: string, threshold: number, more = {}) => ({
  when: [{ type, threshold, window_seconds: 300, ...more }],
})

// biome-ignore format: the columns are the point
test.each<[name: string, rule: object, wanted: string[]]>([
  ['new issues',                     when('new_issue'),                                       ['staged -240', 'new -300']],
  ['new issues in an environment',   { ...when('new_issue'), if: { environment: ['production'] } }, ['new -300']],
  ['new issues with a tag',          { ...when('new_issue'), if: { tags: { host: ['A-*'] } } }, ['new -300']],
  ['new issues of a query',          { ...when('new_issue'), if: { query: 'environment:stag*' } }, ['staged -240']],
  ['regressions, and what returned', when('regression'),                                      ['busy -60', 'old -120']],
  ['regressions of a level',         { ...when('regression'), if: { level: ['fatal'] } },     ['old -120']],
  ['escalations',                    when('escalation'),                                      ['busy -180']],
  ['all of them',                    when('new_issue', 'regression', 'escalation'),           ['busy -60', 'old -120', 'busy -180', 'staged -240', 'new -300']],
  ['events of all hashes',           count('event_count', 4),                                 ['busy -60', 'busy -179']],
  ['one event more is not enough',   count('event_count', 5),                                 []],
  ['users',                          count('user_count', 1),                                  ['busy -179']],
  ['ten events after none',          count('event_count', 20, { compared_to: 'previous_window', window_seconds: 7_200 }), ['busy -60']],
  ['fewer, compared with none',      count('event_count', 20, { compared_to: 'previous_window', window_seconds: 3_600 }), []],
  ['first events in a release',      when('first_in_release'),                                ['old -120', 'new -300']],
  ['first events that match',        { ...when('first_in_release'), if: { release: ['*@2'] } }, ['old -120']],
  ['a cooldown of an hour',          { ...when('regression', 'escalation'), cooldown_seconds: 7_201 }, ['old -120', 'busy -180']],
])('%s', async (_name, rule, wanted) => {
  expect(await fired(rule)).toEqual(wanted)
})

test('an answer says why, how many notifications, and what was not examined', async () => {
  const body = await preview({
    ...when('escalation', 'regression', 'quota'),
    then: [{ type: 'email', to: ['team:nobody'] }],
    digest_seconds: 86_400,
  })
  expect(body).toMatchObject({
    since: at(-7 * day),
    notification_count: 2,
    unexamined: ['quota'],
  })
  expect(body.would_have_fired.map(({ reason }: { reason: string }) => reason)).toEqual([
    'the ignoring of the issue ended',
    'regressed in shop@2',
    'escalating: 90 events in an hour, and 10 were expected',
  ])
  const fields = body.warnings.map(({ field }: { field: string }) => field)
  expect(fields).toEqual(['when.2', 'then.0.to.0'])
})

test('an answer names the issues with the most firings, most first', async () => {
  const { issues } = await preview(when('new_issue', 'regression', 'escalation'))
  expect(issues.map(({ id, firing_count }: Named) => `${nameOf(id)} ${firing_count}`)).toEqual([
    'busy 2',
    'old 1',
    'staged 1',
    'new 1',
  ])
  const { rows } = await api().pool.query('select title from issues where id = $1', [issues[0].id])
  expect(issues[0]).toMatchObject({
    title: rows[0].title,
    short_id: expect.stringMatching(/^[A-Z0-9-]+-\d+$/),
  })
  expect((await preview(when('quota'))).issues).toEqual([])
})

test('an issue that was merged is not named', async () => {
  const merged = ids.get('busy')!
  const setMerged = (into: string | null) =>
    api().pool.query('update issues set merged_into = $2 where id = $1', [merged, into])
  await setMerged(ids.get('old')!)
  try {
    const { issues } = await preview(when('escalation'))
    expect(issues.map(({ id }: Named) => id)).not.toContain(merged)
  } finally {
    await setMerged(null)
  }
})

test('another project sees nothing of it', async () => {
  const rule = {
    ...when('new_issue', 'regression', 'first_in_release'),
    if: { query: 'level:error' },
  }
  const { would_have_fired, issues } = await preview(rule, empty)
  expect([would_have_fired, issues]).toEqual([[], []])
})

test('at most 200 firings are returned', async () => {
  const full = await api().tenant('Full', accessScopes)
  await api().pool.query(
    `insert into issues (id, project_id, short_no, title, culprit, level, platform, status, count, first_seen, last_seen, created_at)
     select gen_random_uuid(), $1, n, 't', 'c', 'error', 'node', 'unresolved', 1, $2, $2, $2::timestamptz - n * interval '1 second'
     from generate_series(1, 2100) as n`,
    [full.project.dsnId, at(-10)],
  )
  const body = await preview({ ...when('new_issue'), digest_seconds: 600 }, full)
  expect([body.would_have_fired.length, body.more]).toEqual([200, true])
  expect(body.issues.map(({ firing_count }: Named) => firing_count)).toEqual([1, 1, 1, 1, 1])
  const times = body.would_have_fired.map((one: { at: string }) => one.at)
  expect(times).toEqual(times.toSorted().reverse())
})
