/**
 * One hour of all kinds of items on a simulated clock: the API reports the same numbers as a
 * recount of what was sent.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { addDsnKey } from '../../api/keys/dsn-key-store.ts'
import { apiOfThisFile, type Tenant } from '../fixtures/api-fixture.ts'
import { Random } from '../fixtures/random.ts'
import { digestHour, receiveHour } from './pass-hour.ts'
import { environments, hourMs, planHour, releases, slugs } from './plan-hour.ts'
import { type Accounting, recountOutcomes, recountRuns, recountSessions } from './recount.ts'

const api = apiOfThisFile()
const seed = 20_260_105
/** In the past on any day on which the test runs, so that no run of a monitor is due later. */
const startMs = Date.UTC(2026, 0, 5, 10, 20)
const firstHourMs = Date.UTC(2026, 0, 5, 10)
const untilMs = Date.UTC(2026, 0, 5, 12)
const period = `since=${new Date(firstHourMs).toISOString()}&until=${new Date(untilMs).toISOString()}`

const hour = planHour(new Random(seed, 'hour'), startMs)
let tenant: Tenant
let statuses: number[]

beforeAll(async () => {
  const { pool, clickhouse, time } = api()
  tenant = await api().tenant('An hour')
  const { key_no: keyNo, public_key: publicKey } = await addDsnKey(pool, {
    projectId: tenant.project.id,
    label: null,
  })
  const project = { projectId: tenant.project.dsnId, keyNo, publicKey }
  const received = await receiveHour(project, hour.bodies, { seed, startMs })
  statuses = received.statuses
  await digestHour({ pg: pool, clickhouse }, received.logs)
  time.nowMs = startMs + hourMs
})

test('every request is answered 200', () => {
  const sent = hour.bodies.reduce((count, { copies }) => count + 1 + copies.length, 0)
  expect(statuses.length).toBe(sent)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('outcomes are counted by hour', async () => {
  const { body } = await api().of(tenant, `/outcomes?${period}&group_by=outcome,reason,category`)
  const reported: Accounting = {}
  for (const { at, outcome, reason, category, quantity } of body.items) {
    reported[`${at} ${outcome}:${reason ?? ''} ${category}`] = quantity
  }
  expect(reported).toEqual(recountOutcomes(hour, startMs))
})

test('client reports are counted as discarded', async () => {
  const { body } = await api().of(tenant, `/outcomes?${period}`)
  const lost: Record<string, number> = {}
  for (const { category, quantity } of hour.bodies.flatMap(({ discards }) => discards)) {
    lost[category] = (lost[category] ?? 0) + quantity
  }
  const reported = body.arrivals.filter((each: { never_arrived: number }) => each.never_arrived > 0)
  expect(
    Object.fromEntries(
      reported.map((each: { category: string; never_arrived: number }) => [
        each.category,
        each.never_arrived,
      ]),
    ),
  ).toEqual(lost)
})

describe.each(releases)('the health of %s', (release) => {
  test.each(environments)('in %s', async (environment) => {
    const path = `/releases/${encodeURIComponent(release)}?${period}&environment=${environment}`
    const { status, body } = await api().of(tenant, path)
    expect(status).toBe(200)
    const of = { release, environment }
    const expected = recountSessions(hour, { ...of, sinceMs: firstHourMs, untilMs })
    expect(expected.sessions).toBeGreaterThan(100)
    expect(body.health).toMatchObject(expected)
    expect(body.series).toHaveLength(2)
    for (const [index, point] of body.series.entries()) {
      const sinceMs = firstHourMs + index * hourMs
      expect(point).toMatchObject(
        recountSessions(hour, { ...of, sinceMs, untilMs: sinceMs + hourMs }),
      )
    }
  })
})

test.each(slugs)('the runs of %s', async (slug) => {
  const { status, body } = await api().of(tenant, `/monitors/${slug}/runs?limit=100`)
  expect(status).toBe(200)
  const reported: Record<string, string> = {}
  for (const { expected_at, status, result } of body.items) {
    if (expected_at !== null)
      reported[expected_at] = result === null ? status : `${status} ${result}`
  }
  expect(reported).toEqual(recountRuns(hour, slug))
})

test('events are counted once and use their quota', async () => {
  const events = countAccepted('error')
  const { dsnId } = tenant.project
  const { rows } = await api().pool.query<{ counted: number; used: number }>(
    `select (select sum(count)::int from issues where project_id = $1) as counted,
       (select sum(used)::int from quota_usage where project_id = $1) as used`,
    [dsnId],
  )
  const stored = await api().clickhouse.query({
    query: `select toUInt32(count()) as n from events where project_id = ${dsnId}`,
    format: 'JSONEachRow',
  })
  expect(rows).toEqual([{ counted: events, used: events }])
  expect(await stored.json()).toEqual([{ n: events }])
})

test('feedback is kept once', async () => {
  const said = countAccepted('feedback')
  const { rows } = await api().pool.query<{ n: number }>(
    'select count(*)::int as n from feedback where project_id = $1',
    [tenant.project.dsnId],
  )
  expect(rows).toEqual([{ n: said }])
})

/** Number of accepted items, without copies. */
function countAccepted(category: string): number {
  return hour.bodies
    .flatMap(({ fates }) => fates)
    .filter(([fate]) => fate === `accepted: ${category}`).length
}
