/**
 * Sends session updates through the digest into real stores, reads them with the API's queries and
 * compares them with an independent recount. Updates come repeated, late, in any order and in
 * ranges of any size.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import { createClickHouseReader, createPostgres } from '../../api/database.ts'
import { readSessions } from '../../api/releases/release-health-store.ts'
import type { SessionSums } from '../../api/releases/session-sums.ts'
import { digestRange } from '../../workers/digest/digest-range.ts'
import { addSessionSums } from '../../workers/release-health/release-health-store.ts'
import { insertRows } from '../../workers/rows/row-store.ts'
import { usePostgres } from '../fixtures/processes/use-postgres.ts'
import { addProject } from '../fixtures/workers/add-project.ts'

let clickhouse: ClickHouseClient
let url: string
let pg: Pool
let rangeCount = 0

usePostgres((fixture) => {
  pg = fixture.pg
  url = fixture.stores.clickhouseUrl
})

afterAll(async () => {
  await clickhouse?.close()
})

const hourMs = 3_600_000
const nowMs = Date.UTC(2026, 10, 20, 12, 30)
const releases = ['shop@1', 'shop@2']
const environments = ['production', 'staging']
const statuses = ['ok', 'exited', 'errored', 'unhandled', 'abnormal', 'crashed'] as const

interface Update {
  readonly session: number
  readonly status: (typeof statuses)[number]
  readonly errors: number
  readonly durationSeconds: number
}

interface Sum {
  readonly release: number
  readonly hour: number
  readonly counts: Record<'exited' | 'errored' | 'unhandled' | 'abnormal' | 'crashed', number>
}

/** Fields that are the same in every update of a session. */
function factsOf(session: number) {
  return {
    sid: (session + 1).toString(16).padStart(32, '0'),
    did: session % 3 === 0 ? null : `user ${session % 5}`,
    release: releases[session % 2]!,
    environment: environments[(session >> 1) % 2]!,
    startedMs: nowMs - (session % 4) * hourMs,
  }
}

const update = fc.record({
  session: fc.nat(11),
  status: fc.constantFrom(...statuses),
  errors: fc.nat(2),
  durationSeconds: fc.nat(100),
})
const count = fc.nat(9)
const sum = fc.record({
  release: fc.nat(1),
  hour: fc.nat(3),
  counts: fc.record({
    exited: count,
    errored: count,
    unhandled: count,
    abnormal: count,
    crashed: count,
  }),
})

describe('release health', () => {
  test('does not depend on the order, the repetition or the ranges of updates', async () => {
    clickhouse = createClickHouse(url, 'test')
    await fc.assert(
      fc.asyncProperty(
        fc.array(update, { maxLength: 40 }),
        fc.array(sum, { maxLength: 6 }),
        fc.array(fc.nat(1_000), { minLength: 3, maxLength: 3 }),
        async (updates, sums, cuts) => {
          const projectId = await addProject(pg)
          const shuffled = shuffle([...updates, ...updates.slice(0, 10)], cuts[0]!)
          const middle = shuffled.length === 0 ? 0 : cuts[1]! % shuffled.length
          await take(projectId, shuffled.slice(0, middle), sums)
          await take(projectId, shuffled.slice(middle), [])
          for (const environment of [undefined, ...environments]) {
            for (const release of releases) {
              const inScope = (facts: { release: string; environment: string }) =>
                facts.release === release &&
                (environment === undefined || facts.environment === environment)
              const expected = recount(
                updates.filter(({ session }) => inScope(factsOf(session))),
                sums.filter(({ release: index }) =>
                  inScope({ release: releases[index]!, environment: 'production' }),
                ),
              )
              expect(await stored(projectId, release, environment)).toEqual(expected)
            }
          }
        },
      ),
      { numRuns: 25, seed: 11 },
    )
  })
})

function shuffle<T>(list: readonly T[], salt: number): T[] {
  return list
    .map((each, index) => ({ each, order: ((index + 1) * (salt * 2 + 1) * 7919) % 10_007 }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each)
}

async function take(projectId: ProjectId, updates: readonly Update[], sums: readonly Sum[]) {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(MiB) })
  const common = {
    kind: 'session',
    projectId,
    dsnKeyNo: 7 as DsnKeyNo,
    receivedAtMs: nowMs,
  } as const
  let id = 0
  const append = (payload: object, headerJson: string) =>
    writer.append({
      ...common,
      headerJson,
      recordId: Buffer.from((++id).toString(16).padStart(32, '0'), 'hex'),
      payload: Buffer.from(JSON.stringify(payload)),
    })
  for (const { session, status, errors, durationSeconds } of updates) {
    const { sid, did, release, environment, startedMs } = factsOf(session)
    const started = new Date(startedMs).toISOString()
    const attrs = { release, environment }
    append({ sid, did, started, status, errors, duration: durationSeconds, attrs }, '')
  }
  for (const { release, hour, counts } of sums) {
    const aggregates = [{ started: new Date(nowMs - hour * hourMs).toISOString(), ...counts }]
    append({ aggregates, attrs: { release: releases[release] } }, '{"item":"sessions"}')
  }
  if (id === 0) return
  const bytes = writer.finish({ instanceId: '0'.repeat(32), partition: 0, counter: 0 })
  const settings = { partition: 0, generation: 1, retentionDays: 60_000 }
  const output = digestRange({ ...settings, frames: [{ streamSeq: 1, bytes }] })
  const token = `range ${++rangeCount}`
  if (output.sessionRows.length > 0) {
    await insertRows(clickhouse, { table: 'sessions', rows: output.sessionRows, token })
  }
  if (output.sessionSums.length > 0) {
    await inTransaction(pg, (client) => addSessionSums(client, output.sessionSums))
  }
}

type Counted = Omit<SessionSums, 'durationMs'> & { readonly meanMs: number | undefined }

async function stored(
  projectId: ProjectId,
  release: string,
  environment: string | undefined,
): Promise<Counted> {
  const sessions = await readSessions(
    { clickhouse: createClickHouseReader(clickhouse), pg: createPostgres(pg) },
    {
      projectId,
      environment,
      versions: [release],
      stepSeconds: undefined,
      sinceMs: nowMs - 24 * hourMs,
      untilMs: nowMs + hourMs,
    },
  )
  const { durationMs, ...counts } = sessions(release)
  return { ...counts, meanMs: durationMs && Math.round(durationMs.mean) }
}

/** The worst status that was reported for a session is its result. */
function recount(updates: readonly Update[], sums: readonly Sum[]): Counted {
  const bySession = new Map<number, Update[]>()
  for (const each of updates) {
    bySession.set(each.session, [...(bySession.get(each.session) ?? []), each])
  }
  const counts = { sessions: 0, crashed: 0, abnormal: 0, unhandled: 0, erroredAny: 0 }
  const users = new Set<string>()
  const crashedUsers = new Set<string>()
  const durations: number[] = []
  for (const [session, all] of bySession) {
    const said = (status: string) => all.some((each) => each.status === status)
    const { did } = factsOf(session)
    counts.sessions += 1
    if (said('crashed')) counts.crashed += 1
    else if (said('abnormal')) counts.abnormal += 1
    else if (said('unhandled')) counts.unhandled += 1
    else if (said('exited')) {
      const ends = all.filter(({ status }) => status === 'exited')
      const longest = Math.max(...ends.map(({ durationSeconds }) => durationSeconds * 1000))
      if (longest > 0) durations.push(longest)
    }
    const bad = ['errored', 'unhandled', 'abnormal', 'crashed']
    if (all.some(({ status, errors }) => errors > 0 || bad.includes(status))) counts.erroredAny += 1
    if (did !== null) users.add(did)
    if (did !== null && said('crashed')) crashedUsers.add(did)
  }
  for (const { counts: more } of sums) {
    const { exited, errored, unhandled, abnormal, crashed } = more
    counts.sessions += exited + errored + unhandled + abnormal + crashed
    counts.crashed += crashed
    counts.abnormal += abnormal
    counts.unhandled += unhandled
    counts.erroredAny += errored + unhandled + abnormal + crashed
  }
  const total = durations.reduce((a, b) => a + b, 0)
  const meanMs = durations.length === 0 ? undefined : Math.round(total / durations.length)
  return { ...counts, users: users.size, crashedUsers: crashedUsers.size, meanMs }
}
