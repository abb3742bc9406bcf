import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  apiOfThisFile,
  at,
  type PersonLogin,
  type Tenant,
} from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let other: Tenant
let ada: PersonLogin
let stranger: PersonLogin
let team: string

beforeAll(async () => {
  tenant = await api().tenant('Changes')
  other = await api().tenant('Others')
  ada = await api().login(tenant, 'member')
  stranger = await api().login(other)
  team = await addTeam(tenant, 'backend')
  await addTeam(other, 'foreign')
  await api().addRelease(tenant, { version: 'app@1.10.0', first: -90, last: -80 })
  await api().addRelease(tenant, { version: 'app@1.9.0', first: -60, last: -1 })
})

async function addTeam({ organizationId }: Tenant, slug: string): Promise<string> {
  const id = randomUUID()
  await api().pool.query(
    `insert into teams (id, organization_id, slug, name) values ($1, $2, $3, $3)`,
    [id, organizationId, slug],
  )
  return id
}

const patch = (id: string, body: unknown, login?: PersonLogin) =>
  api().call(`/api/v1/projects/${tenant.project.id}/issues/${id}`, {
    method: 'PATCH',
    body,
    ...(login === undefined ? { token: tenant.token } : { login }),
  })

async function activityOf(id: string) {
  const { rows } = await api().pool.query(
    'select kind, actor, data from issue_activity where issue_id = $1 order by id',
    [id],
  )
  return rows
}

const later = '2026-12-01T08:00:00.000Z'
const ignoreNothing = { at: null, events: null, users: null, escalating: false }

// biome-ignore format: the columns are the point
const transitions = [
  ['resolved', { status: 'resolved' },                            { status: 'resolved', substatus: null, triage: null, resolution: { in: 'now', release: 'app@1.10.0', commit: null, at: at(0) } }],
  ['in the next release', { resolved_in: 'next_release' },        { status: 'resolved', resolution: { in: 'next_release', release: 'app@1.10.0', commit: null, at: at(0) } }],
  ['in a named release', { resolved_in: 'app@2.0.0' },            { status: 'resolved', resolution: { in: 'release', release: 'app@2.0.0', commit: null, at: at(0) } }],
  ['by a commit', { resolved_in: 'commit:ABCDEF0123' },           { status: 'resolved', resolution: { in: 'commit', release: null, commit: 'abcdef0123', at: at(0) } }],
  ['ignored', { status: 'ignored' },                              { status: 'ignored', substatus: null, triage: null, ignore_until: null }],
  ['until a time', { ignore_until: { at: later } },               { status: 'ignored', ignore_until: { ...ignoreNothing, at: later } }],
  ['until more events', { ignore_until: { events: 10 } },         { status: 'ignored', ignore_until: { ...ignoreNothing, events: 17 } }],
  ['until more users', { ignore_until: { users: 3 } },            { status: 'ignored', ignore_until: { ...ignoreNothing, users: 3 } }],
  ['until escalating', { ignore_until: { escalating: true } },    { status: 'ignored', ignore_until: { ...ignoreNothing, escalating: true } }],
  ['to a team', { assignee: 'team:backend' },                     { assignee: null, assignee_team: { slug: 'backend' }, substatus: 'ongoing', triage: null }],
  ['reviewed', { reviewed: true },                                { status: 'unresolved', substatus: 'ongoing', triage: null }],
  ['snoozed', { snooze_until: later },                            { substatus: 'new', triage: { reason: 'new', since: at(-60), snoozed_until: later } }],
  ['with a priority', { priority: 'low' },                        { priority: 'low', triage: { reason: 'new' } }],
] as const

describe('a change over HTTP', () => {
  test.each(transitions)('%s', async (_name, body, want) => {
    const id = await api().addIssue(tenant, { substatus: 'new', triage: 'new', count: 7 })
    const answer = await patch(id, { ...body, reason: 'We know why' }, ada)
    expect([answer.status, answer.body]).toMatchObject([200, want])
    const activity = await activityOf(id)
    expect(activity).toMatchObject([
      {
        actor: { type: 'person', id: ada.personId, label: ada.email },
        data: { reason: 'We know why' },
      },
    ])
    const again = await patch(id, body, ada)
    expect(again.body).toEqual(answer.body)
    expect(await activityOf(id)).toEqual(activity)
  })

  test('opens a resolved and an ignored issue again, outside the queue', async () => {
    for (const status of ['resolved', 'ignored']) {
      const id = await api().addIssue(tenant, { status })
      const { body } = await patch(id, { status: 'unresolved' })
      expect(body).toMatchObject({
        ...{ status: 'unresolved', substatus: 'ongoing', triage: null },
        ...{ resolution: null, ignore_until: null },
      })
      expect(await activityOf(id)).toMatchObject([
        { kind: 'status', actor: { type: 'token' }, data: { from: status, to: 'unresolved' } },
      ])
    }
  })

  test('assigns a person by id or email address, and nobody', async () => {
    const id = await api().addIssue(tenant, {})
    const byId = await patch(id, { assignee: ada.personId.toUpperCase() })
    expect(byId.body).toMatchObject({ assignee: { id: ada.personId, email: ada.email } })
    expect((await patch(id, { assignee: ada.email.toUpperCase() })).body).toEqual(byId.body)
    const toTeam = await patch(id, { assignee: 'team:backend' })
    expect(toTeam.body).toMatchObject({ assignee: null, assignee_team: { id: team } })
    const none = await patch(id, { assignee: null })
    expect(none.body).toMatchObject({ assignee: null, assignee_team: null })
    expect((await activityOf(id)).map(({ data }) => data)).toMatchObject([
      { to: { type: 'person', id: ada.personId } },
      { to: { type: 'team', id: team, name: 'backend' } },
      { to: null },
    ])
  })

  test('an automatic assignment that a person repeats leaves the queue', async () => {
    const id = await api().addIssue(tenant, { substatus: 'new', triage: 'new' })
    await api().pool.query('update issues set assignee_team = $2 where id = $1', [id, team])
    const { body } = await patch(id, { assignee: 'team:backend' })
    expect(body).toMatchObject({ triage: null, substatus: 'ongoing' })
    expect(await activityOf(id)).toMatchObject([{ kind: 'assigned', data: { left_triage: 'new' } }])
  })
})

describe('a refused change', () => {
  const release = 'x'.repeat(251)
  // biome-ignore format: the columns are the point
  test.each([
    ['an unknown status',               { status: 'merged' },                                   'status'],
    ['a field of nothing',              { status: 'resolved', color: 'red' },                   'color'],
    ['nothing to change',               {},                                                     'status'],
    ['a reason alone',                  { reason: 'x' },                                        'status'],
    ['an empty reason',                 { status: 'resolved', reason: '  ' },                   'reason'],
    ['a list',                          [],                                                     'body'],
    ['null as status',                  { status: null },                                       'status'],
    ['a release and unresolved',        { status: 'unresolved', resolved_in: 'now' },           'resolved_in'],
    ['a release and ignored',           { status: 'ignored', resolved_in: 'now' },              'resolved_in'],
    ['conditions and resolved',         { status: 'resolved', ignore_until: { events: 1 } },    'ignore_until'],
    ['both',                            { resolved_in: 'now', ignore_until: { events: 1 } },    'ignore_until'],
    ['an empty release',                { resolved_in: ' ' },                                   'resolved_in'],
    ['a release that is too long',      { resolved_in: release },                               'resolved_in'],
    ['a release with NUL',              { resolved_in: 'a\u0000b' },                            'resolved_in'],
    ['a lone surrogate',                { resolved_in: 'a\ud800' },                             'resolved_in'],
    ['a number as release',             { resolved_in: 1 },                                     'resolved_in'],
    ['a commit of words',               { resolved_in: 'commit:latest' },                       'resolved_in'],
    ['a commit that is too short',      { resolved_in: 'commit:abcde' },                        'resolved_in'],
    ['no events',                       { ignore_until: { events: 0 } },                        'ignore_until.events'],
    ['half an event',                   { ignore_until: { events: 1.5 } },                      'ignore_until.events'],
    ['too many events',                 { ignore_until: { events: 1e300 } },                    'ignore_until.events'],
    ['events as text',                  { ignore_until: { events: '5' } },                      'ignore_until.events'],
    ['negative users',                  { ignore_until: { users: -1 } },                        'ignore_until.users'],
    ['more users than are remembered',  { ignore_until: { users: 100_001 } },                   'ignore_until.users'],
    ['an unknown condition',            { ignore_until: { moon: true } },                       'ignore_until.moon'],
    ['a time that has passed',          { ignore_until: { at: at(-1) } },                       'ignore_until.at'],
    ['now',                             { ignore_until: { at: at(0) } },                        'ignore_until.at'],
    ['a day without a time',            { ignore_until: { at: '2026-12-01' } },                 'ignore_until.at'],
    ['a year nobody lives to see',      { ignore_until: { at: '9999-12-01T00:00:00Z' } },       'ignore_until.at'],
    ['a snooze into the past',          { snooze_until: at(-1) },                               'snooze_until'],
    ['a snooze for a number',           { snooze_until: 5 },                                    'snooze_until'],
    ['not reviewed',                    { reviewed: false },                                    'reviewed'],
    ['an unknown priority',             { priority: 'urgent' },                                 'priority'],
    ['nobody by this name',             { assignee: 'ada' },                                    'assignee'],
    ['an unknown person',               { assignee: randomUUID() },                             'assignee'],
    ['an unknown address',              { assignee: 'nobody@x.test' },                          'assignee'],
    ['an unknown team',                 { assignee: 'team:nobody' },                            'assignee'],
    ['a team of another organization',  { assignee: 'team:foreign' },                           'assignee'],
    ['a team in capitals',              { assignee: 'team:Backend' },                           'assignee'],
    ['a number as assignee',            { assignee: 7 },                                        'assignee'],
  ] as const)('%s is named, and nothing changes', async (_name, body, field) => {
    const id = await api().addIssue(tenant, { substatus: 'new', triage: 'new' })
    const before = await api().of(tenant, `/issues/${id}`)
    const answer = await patch(id, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    // biome-ignore lint/suspicious/noExplicitAny: an error as JSON.
    expect(answer.body.details.map((detail: any) => detail.field)).toContain(field)
    expect((await api().of(tenant, `/issues/${id}`)).body).toEqual(before.body)
  })

  test('a person of another organization', async () => {
    const id = await api().addIssue(tenant, {})
    for (const assignee of [stranger.personId, stranger.email]) {
      expect((await patch(id, { assignee })).body.details[0].field).toBe('assignee')
    }
    const foreign = await api().call(`/api/v1/projects/${tenant.project.id}/issues/${id}`, {
      method: 'PATCH',
      body: { status: 'resolved' },
      login: stranger,
    })
    expect(foreign.status).toBe(404)
  })

  test('a viewer may not change anything', async () => {
    const id = await api().addIssue(tenant, {})
    const viewer = await api().login(tenant, 'viewer')
    expect((await patch(id, { reviewed: true }, viewer)).status).toBe(403)
  })
})

describe('at the same time', () => {
  test('two people resolve: one activity', async () => {
    const id = await api().addIssue(tenant, {})
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => patch(id, { status: 'resolved' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
    expect(await activityOf(id)).toHaveLength(1)
  })

  test('one resolves and one ignores: the activity tells both in the order they came', async () => {
    const id = await api().addIssue(tenant, {})
    await Promise.all([patch(id, { status: 'resolved' }), patch(id, { status: 'ignored' }, ada)])
    const [first, second] = await activityOf(id)
    expect(first.data.from).toBe('unresolved')
    expect(second.data.from).toBe(first.data.to)
    const { body } = await api().of(tenant, `/issues/${id}`)
    expect(body.status).toBe(second.data.to)
  })

  test('different fields are both kept', async () => {
    const id = await api().addIssue(tenant, { substatus: 'new', triage: 'new' })
    await Promise.all([
      patch(id, { priority: 'low' }),
      patch(id, { assignee: ada.email }),
      patch(id, { snooze_until: later }),
    ])
    const { body } = await api().of(tenant, `/issues/${id}`)
    expect(body).toMatchObject({ priority: 'low', assignee: { email: ada.email }, triage: null })
  })

  test('a commit that counts events meanwhile is waited for, and its state is the one changed', async () => {
    const id = await api().addIssue(tenant, { status: 'resolved', count: 5 })
    const worker = await api().pool.connect()
    try {
      await worker.query('begin')
      await worker.query(
        `update issues set count = count + 3, status = 'unresolved', substatus = 'regressed',
           triage_at = now(), triage_reason = 'regressed' where id = $1`,
        [id],
      )
      const ignoring = patch(id, { ignore_until: { events: 10 } })
      await expect.poll(() => waiting()).toBe(1)
      await worker.query('commit')
      const { body } = await ignoring
      expect(body).toMatchObject({ status: 'ignored', count: 8, ignore_until: { events: 18 } })
      expect(await activityOf(id)).toMatchObject([
        { data: { from: 'unresolved', to: 'ignored', left_triage: 'regressed' } },
      ])
    } finally {
      worker.release()
    }
  })

  test('a member who is being removed gets no issue', async () => {
    const leaving = await api().login(tenant, 'member')
    const id = await api().addIssue(tenant, {})
    const remover = await api().pool.connect()
    try {
      await remover.query('begin')
      await remover.query('delete from memberships where person_id = $1', [leaving.personId])
      await remover.query('delete from people where id = $1', [leaving.personId])
      const assigning = patch(id, { assignee: leaving.email })
      await expect.poll(() => waiting()).toBe(1)
      await remover.query('commit')
      const { status, body } = await assigning
      expect([status, body.details[0].field]).toEqual([400, 'assignee'])
    } finally {
      remover.release()
    }
  })

  test('an assignment and a removal lock a member in the same order', async () => {
    const leaving = await api().login(tenant, 'member')
    const id = await api().addIssue(tenant, {})
    const remover = await api().pool.connect()
    try {
      await remover.query('begin')
      await remover.query('select from memberships where person_id = $1 for update', [
        leaving.personId,
      ])
      const assigning = patch(id, { assignee: leaving.email })
      await expect.poll(() => waiting()).toBe(1)
      await remover.query(`set local lock_timeout = '5s'`)
      await remover.query('select from people where id = $1 for update', [leaving.personId])
      await remover.query('commit')
      expect((await assigning).status).toBe(200)
    } finally {
      remover.release()
    }
  })

  async function waiting(): Promise<number> {
    const { rows } = await api().pool.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].count
  }
})

describe('POST issues/bulk', () => {
  test('changes what a query finds, and says what it did', async () => {
    const own = await api().tenant('Bulk')
    const add = (fields: object) =>
      api().addIssue(own, { substatus: 'new', triage: 'new', ...fields })
    const warning = await add({ level: 'warning' })
    const error = await add({})
    const done = await api().addIssue(own, { status: 'resolved' })
    const bulk = (body: unknown) => api().of(own, '/issues/bulk', { method: 'POST', body })
    const reviewed = await bulk({ query: 'is:triage priority:medium', change: { reviewed: true } })
    expect(reviewed.body).toMatchObject({ matched: 1, changed: 1, unchanged: 0, more: false })
    const all = await bulk({ query: 'is:triage', change: { resolved_in: 'next_release' } })
    expect(all.body).toMatchObject({ matched: 1, changed: 1 })
    const ids = [warning, error, done, randomUUID()]
    const resolved = await bulk({ ids, change: { status: 'resolved', reason: 'Old' } })
    expect(resolved.body).toMatchObject({ matched: 3, changed: 1, unchanged: 2, missing: [ids[3]] })
    expect(await activityOf(warning)).toMatchObject([
      { kind: 'reviewed', data: { left_triage: 'new' } },
      { kind: 'status', data: { reason: 'Old' } },
    ])
    const refused = await bulk({ ids, change: { assignee: 'team:nobody' } })
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'assignee'])
  })
})

describe('GET issues', () => {
  test('filters by team, priority and escalating', async () => {
    const own = await api().tenant('Filters')
    const backend = await addTeam(own, 'backend')
    const a = await api().addIssue(own, { title: 'a', level: 'fatal' })
    const b = await api().addIssue(own, { title: 'b', level: 'warning', triage: 'escalating' })
    await api().pool.query('update issues set assignee_team = $2 where id = $1', [a, backend])
    await api().pool.query('update issues set escalated_at = now(), priority = $2 where id = $1', [
      b,
      'low',
    ])
    const titles = async (query: string) => {
      const { body } = await api().of(own, `/issues?${query}`)
      return body.items.map(({ title }: { title: string }) => title).sort()
    }
    expect(await titles('assignee=team:backend')).toEqual(['a'])
    expect(await titles('assignee=team:nobody')).toEqual([])
    expect(await titles('assignee=none')).toEqual(['b'])
    expect(await titles('priority=high')).toEqual(['a'])
    expect(await titles('priority=low')).toEqual(['b'])
    expect(await titles('priority=medium')).toEqual([])
    expect(await titles('substatus=escalating')).toEqual(['b'])
    expect((await api().of(own, '/issues?assignee=team:A')).status).toBe(400)
  })
})
