/**
 * Every transition of an issue, caused by events as SDKs send them and by people through the API,
 * with a simulated clock: its state, its activity, the triage queue, and what a rule fires.
 */
import { describe, expect, test } from 'vitest'
import {
  IssueItem,
  issueStatuses,
  resolutions,
  substatuses,
  triageReasons,
} from '#schemas/rest/issue.ts'
import type { PlannedActivity } from '../../api/issues/states/plan-issue-change.ts'
import type { Transition } from '../../workers/issue-states/plan-transitions.ts'
import { alertDeskOfThisFile, hourMs, minuteMs } from '../fixtures/alerts/alert-desk.ts'
import { Causes } from '../fixtures/alerts/causes.ts'

const desk = alertDeskOfThisFile()

type Act = (scene: Causes) => Promise<unknown>

interface Row {
  readonly name: string
  /** Before the rule is made. */
  readonly history: readonly Act[]
  readonly act: Act
  readonly want: {
    readonly status: (typeof issueStatuses)[number]
    readonly substatus: (typeof substatuses)[number] | null
    /** Null: it is not in the queue. */
    readonly triage: (typeof triageReasons)[number] | null
    /** What the act adds to the activity. */
    readonly activity: readonly Kind[]
    readonly fired?: readonly string[]
  }
}

const node = 'sentry-node-11-error'
const other = 'sentry-python'
const [older, old, newer] = ['shop@1.0.0', 'shop@1.1.0', 'shop@1.2.0'] as const
const commit = 'abcdef0123456789abcdef0123456789abcdef01'

const event =
  (release?: string, count = 1): Act =>
  async (scene) => {
    scene.desk.pass(minuteMs)
    await scene.events(
      node,
      release === undefined ? { release: null as never } : { release },
      count,
    )
  }
const user =
  (id: string): Act =>
  (scene) =>
    scene.events(node, { user: { id } })
const change =
  (fields: object): Act =>
  async (scene) => {
    scene.desk.pass(minuteMs)
    await scene.patchIssue(fields)
  }
const later = (hours: number) => (scene: Causes) =>
  new Date(scene.desk.nowMs + hours * hourMs).toISOString()
const changeLater =
  (hours: number, fields: (at: string) => object): Act =>
  (scene) =>
    scene.patchIssue(fields(later(hours)(scene)))
const wait =
  (hours: number): Act =>
  async ({ desk }) =>
    desk.pass(hours * hourMs)
const releaseHasCommit: Act = async ({ desk, tenant }) => {
  const path = `/api/v1/projects/${tenant.project.id}/releases/${encodeURIComponent(newer)}/commits`
  const { login } = tenant
  const answer = await desk.api.call(path, { method: 'PUT', login, body: { commits: [commit] } })
  expect(answer.status).toBe(200)
}
/** The id of the second issue. */
const second = async ({ desk, tenant }: Causes): Promise<string> => {
  const { rows } = await desk.api.pool.query(
    'select id from issues where project_id = $1 order by short_no desc limit 1',
    [tenant.dsnId],
  )
  return rows[0].id
}

const open = { status: 'unresolved', substatus: 'new', triage: 'new', activity: [] } as const
const ongoing = { ...open, substatus: 'ongoing', triage: null } as const
const resolved = { status: 'resolved', substatus: null, triage: null } as const
const ignored = { ...resolved, status: 'ignored' } as const
const regressed = {
  status: 'unresolved',
  substatus: 'regressed',
  triage: 'regressed',
  activity: ['regressed'],
  fired: ['regression'],
} as const
const returned = {
  ...regressed,
  substatus: 'ongoing',
  triage: 'returned',
  activity: ['returned'],
} as const
const escalating = {
  status: 'unresolved',
  substatus: 'escalating',
  triage: 'escalating',
  activity: ['escalating'],
  fired: ['escalation'],
} as const
const still = { activity: [] } as const
const week = 7 * 24 + 1

// biome-ignore format: the columns are the point
const byEvents: readonly Row[] = [
  { name: 'nothing → new',                           history: [],                                            act: event(old),               want: { ...open, fired: ['new_issue'] } },
  { name: 'new, again',                              history: [event(old)],                                  act: event(newer),             want: open },
  { name: 'ongoing, again',                          history: [event(old), change({ reviewed: true })],      act: event(newer),             want: ongoing },

  { name: 'resolved now, older release',             history: [event(older), event(old), change({ resolved_in: 'now' })],          act: event(older), want: { ...resolved, ...still } },
  { name: 'resolved now → same release',             history: [event(old), change({ resolved_in: 'now' })],                        act: event(old),   want: regressed },
  { name: 'resolved now → no release',               history: [event(old), change({ resolved_in: 'now' })],                        act: event(),      want: regressed },
  { name: 'resolved in next_release, same release',  history: [event(old), change({ resolved_in: 'next_release' })],               act: event(old),   want: { ...resolved, ...still } },
  { name: 'resolved in next_release, no release',    history: [event(old), change({ resolved_in: 'next_release' })],               act: event(),      want: { ...resolved, ...still } },
  { name: 'resolved in next_release → newer release', history: [event(old), change({ resolved_in: 'next_release' })],              act: event(newer), want: regressed },
  { name: 'resolved in release, older release',      history: [event(old), change({ resolved_in: newer })],                        act: event(old),   want: { ...resolved, ...still } },
  { name: 'resolved in release → that release',      history: [event(old), change({ resolved_in: newer })],                        act: event(newer), want: regressed },
  { name: 'resolved in commit, older release',       history: [event(old), change({ resolved_in: `commit:${commit}` }), releaseHasCommit], act: event(old),   want: { ...resolved, ...still } },
  { name: 'resolved in commit → release with it',    history: [event(old), change({ resolved_in: `commit:${commit}` }), releaseHasCommit], act: event(newer), want: regressed },

  { name: 'ignored forever',                         history: [event(old), change({ status: 'ignored' })],                         act: event(newer, 60), want: { ...ignored, ...still } },
  { name: 'ignored until at, before it',             history: [event(old), changeLater(2, (at) => ({ ignore_until: { at } }))],    act: event(old),   want: { ...ignored, ...still } },
  { name: 'ignored until at → after it',             history: [event(old), changeLater(2, (at) => ({ ignore_until: { at } })), wait(2)], act: event(old), want: returned },
  { name: 'ignored until events, one less',          history: [event(old), change({ ignore_until: { events: 3 } })],               act: event(old, 2), want: { ...ignored, ...still } },
  { name: 'ignored until events → all of them',      history: [event(old), change({ ignore_until: { events: 3 } })],               act: event(old, 3), want: returned },
  { name: 'ignored until users, one less',           history: [event(old), change({ ignore_until: { users: 2 } }), user('a')],     act: user('a'),    want: { ...ignored, ...still } },
  { name: 'ignored until users → all of them',       history: [event(old), change({ ignore_until: { users: 2 } }), user('a')],     act: user('b'),    want: returned },
  { name: 'ignored until escalating, usual',         history: [event(old), wait(week), change({ ignore_until: { escalating: true } })], act: event(old, 50), want: { ...ignored, ...still } },
  { name: 'ignored until escalating → too many',     history: [event(old), wait(week), change({ ignore_until: { escalating: true } })], act: event(old, 51), want: escalating },

  { name: 'ongoing, usual',                          history: [event(old), change({ reviewed: true }), wait(week)],                act: event(old, 50), want: ongoing },
  { name: 'ongoing → escalating',                    history: [event(old), change({ reviewed: true }), wait(week)],                act: event(old, 51), want: escalating },
  { name: 'snoozed → escalating',                    history: [event(old), changeLater(999, (at) => ({ snooze_until: at })), wait(week)], act: event(old, 51), want: escalating },
  { name: 'escalating, again on the same day',       history: [event(old), wait(week), event(old, 51)],                            act: event(old, 99), want: { ...escalating, activity: [], fired: [] } },
]

// biome-ignore format: the columns are the point
const byPeople: readonly Row[] = [
  { name: 'new → resolved now',                      history: [event(old)], act: change({ status: 'resolved' }),              want: { ...resolved, activity: ['status'] } },
  { name: 'new → resolved in next_release',          history: [event(old)], act: change({ resolved_in: 'next_release' }),     want: { ...resolved, activity: ['status'] } },
  { name: 'new → resolved in release',               history: [event(old)], act: change({ resolved_in: newer }),              want: { ...resolved, activity: ['status'] } },
  { name: 'new → resolved in commit',                history: [event(old)], act: change({ resolved_in: `commit:${commit}` }), want: { ...resolved, activity: ['status'] } },
  { name: 'resolved → unresolved',                   history: [event(old), change({ status: 'resolved' })], act: change({ status: 'unresolved' }), want: { ...ongoing, activity: ['status'] } },
  { name: 'resolved → ignored',                      history: [event(old), change({ status: 'resolved' })], act: change({ status: 'ignored' }),    want: { ...ignored, activity: ['status'] } },
  { name: 'resolved, again',                         history: [event(old), change({ status: 'resolved' })], act: change({ status: 'resolved' }),   want: { ...resolved, ...still } },
  { name: 'new → ignored forever',                   history: [event(old)], act: change({ ignore_until: null }),                          want: { ...ignored, activity: ['status'] } },
  { name: 'new → ignored until at',                  history: [event(old)], act: changeLater(2, (at) => ({ ignore_until: { at } })),      want: { ...ignored, activity: ['status'] } },
  { name: 'new → ignored until events',              history: [event(old)], act: change({ ignore_until: { events: 3 } }),                 want: { ...ignored, activity: ['status'] } },
  { name: 'new → ignored until users',               history: [event(old)], act: change({ ignore_until: { users: 3 } }),                  want: { ...ignored, activity: ['status'] } },
  { name: 'new → ignored until escalating',          history: [event(old)], act: change({ ignore_until: { escalating: true } }),          want: { ...ignored, activity: ['status'] } },
  { name: 'ignored → unresolved',                    history: [event(old), change({ status: 'ignored' })], act: change({ status: 'unresolved' }), want: { ...ongoing, activity: ['status'] } },
  { name: 'ignored → resolved',                      history: [event(old), change({ status: 'ignored' })], act: change({ status: 'resolved' }),   want: { ...resolved, activity: ['status'] } },
  { name: 'new → reviewed',                          history: [event(old)], act: change({ reviewed: true }),                              want: { ...ongoing, activity: ['reviewed'] } },
  { name: 'regressed → reviewed',                    history: [event(old), change({ status: 'resolved' }), event(old)], act: change({ reviewed: true }), want: { ...ongoing, activity: ['reviewed'] } },
  { name: 'escalating → reviewed',                   history: [event(old), wait(week), event(old, 51)], act: change({ reviewed: true }),  want: { ...ongoing, activity: ['reviewed'] } },
  { name: 'new → assigned',                          history: [event(old)], act: (scene) => scene.patchIssue({ assignee: scene.tenant.login.email }), want: { ...ongoing, activity: ['assigned'] } },
  { name: 'new, with a priority',                    history: [event(old)], act: change({ priority: 'low' }),                             want: { ...open, activity: ['priority'] } },
  { name: 'new → snoozed',                           history: [event(old)], act: changeLater(2, (at) => ({ snooze_until: at })),          want: { ...open, triage: null, activity: ['snoozed'] } },
  { name: 'snoozed → its end',                       history: [event(old), changeLater(2, (at) => ({ snooze_until: at }))], act: wait(2), want: open },
  { name: 'snoozed → shown again',                   history: [event(old), changeLater(2, (at) => ({ snooze_until: at }))], act: change({ snooze_until: null }), want: { ...open, activity: ['snoozed'] } },
  { name: 'new, with a comment',                     history: [event(old)], act: async (scene) => scene.ask('POST', `/issues/${await scene.issue()}/comments`, { text: 'Known.' }), want: { ...open, activity: ['comment'] } },
  { name: 'resolved in bulk',                        history: [event(old)], act: async (scene) => scene.ask('POST', '/issues/bulk', { ids: [await scene.issue()], change: { status: 'resolved' } }), want: { ...resolved, activity: ['status'] } },
  { name: 'another one is merged into it',           history: [event(old), (scene) => scene.events(other)], act: async (scene) => scene.ask('POST', `/issues/${await second(scene)}/merge`, { into: await scene.issue() }), want: { ...open, activity: ['merged', 'merged_into'] } },
]

/** Every kind of entry: a new one does not compile without a row. */
type Kind = PlannedActivity['kind'] | Transition['kind'] | 'comment' | 'merged' | 'merged_into'
const kinds: Readonly<Record<Kind, true>> = {
  status: true,
  assigned: true,
  priority: true,
  reviewed: true,
  snoozed: true,
  regressed: true,
  returned: true,
  escalating: true,
  comment: true,
  merged: true,
  merged_into: true,
}

const rows = [...byEvents, ...byPeople]

test('every state, reason and way has a row', () => {
  const has = <T>(read: (row: Row) => T | readonly T[]) => new Set(rows.flatMap(read))
  expect(has(({ want }) => want.status)).toEqual(new Set(issueStatuses))
  expect(has(({ want }) => want.substatus)).toEqual(new Set([...substatuses, null]))
  expect(has(({ want }) => want.triage)).toEqual(new Set([...triageReasons, null]))
  expect(has(({ want }) => want.activity)).toEqual(new Set(Object.keys(kinds)))
  const named = (part: string) => rows.filter(({ name }) => name.includes(part)).length
  for (const way of resolutions) {
    const text = way === 'now' ? 'resolved now' : `resolved in ${way}`
    // It becomes so, it stays so, and it ends.
    expect([way, named(text) >= 3, named(`→ ${text}`) >= 1]).toEqual([way, true, true])
  }
  const conditions = Object.keys(IssueItem.shape.ignore_until.unwrap().shape)
  for (const condition of ['forever', ...conditions.map((each) => `until ${each}`)]) {
    expect([condition, named(`→ ignored ${condition}`)]).toEqual([condition, 1])
    expect([condition, named(`ignored ${condition}`) >= 2]).toEqual([condition, true])
  }
})

describe('an issue', () => {
  test.each(rows)('$name', async ({ history, act, want }) => {
    const tenant = await desk().tenant()
    const scene = new Causes(desk(), tenant)
    for (const before of history) await before(scene)
    const rule = await desk().addRule(tenant, {
      when: [{ type: 'new_issue' }, { type: 'regression' }, { type: 'escalation' }],
    })
    const before = await activity(tenant.dsnId)
    await act(scene)
    const id = await scene.issue()
    const issue = IssueItem.parse(await scene.ask('GET', `/issues/${id}`))
    const { items } = await scene.ask('GET', '/triage')
    const entry = items.find((each: { issue: { id: string } }) => each.issue.id === id)
    expect({
      status: issue.status,
      substatus: issue.substatus,
      triage: entry?.reason ?? null,
      activity: (await activity(tenant.dsnId)).slice(before.length).sort(),
      fired: (await desk().fired(rule)).map(({ type }) => type),
    }).toEqual({ fired: [], ...want, activity: [...want.activity].sort() })
    // A decision is kept: the same once more changes nothing.
    if (byPeople.some((row) => row.act === act) && issue.status !== 'unresolved') {
      const count = (await activity(tenant.dsnId)).length
      await scene.patchIssue({ status: issue.status })
      expect(await activity(tenant.dsnId)).toHaveLength(count)
    }
  })
})

async function activity(dsnId: number): Promise<string[]> {
  const { rows: found } = await desk().api.pool.query<{ kind: string }>(
    `select kind from issue_activity a join issues i on i.id = issue_id
     where project_id = $1 order by a.id`,
    [dsnId],
  )
  return found.map(({ kind }) => kind)
}
