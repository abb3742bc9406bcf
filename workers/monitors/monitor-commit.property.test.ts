/**
 * The commit succeeds for any content of check-ins: a failure would block its partition. The seed
 * is fixed.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { storedText } from '#schemas/stored-text.ts'
import { parseCheckIn } from '#schemas/wire/check-in.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { commitMonitors } from './monitor-commit.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

const minuteMs = 60_000
const start = Date.parse('2026-11-20T10:00:00Z')

/** Arbitrary code units: lone surrogates, NUL, combining marks. */
const wild = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 12,
})
const mostly = <T>(usual: T, ...others: T[]) => fc.constantFrom(usual, usual, usual, ...others)
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const payloads = fc.record({
  check_in_id: optional(fc.constantFrom(...['a', 'b', 'c', 'd'].map(hashOf))),
  monitor_slug: fc.oneof(fc.constantFrom('nightly', 'hourly', 'Nightly'), wild),
  status: fc.constantFrom('in_progress', 'ok', 'error'),
  environment: optional(fc.oneof(fc.constantFrom('production', 'staging'), wild)),
  release: optional(wild),
  duration: optional(fc.double()),
  contexts: optional(fc.record({ trace: fc.record({ trace_id: mostly(hashOf('t'), 'no') }) })),
  monitor_config: optional(
    fc.record({
      schedule: fc.oneof(
        fc.constant({ type: 'crontab', value: '*/5 * * * *' }),
        fc.constant({ type: 'interval', value: 1, unit: 'minute' }),
        fc.record({ type: fc.constant('crontab'), value: wild }),
      ),
      timezone: optional(fc.oneof(fc.constant('Europe/Berlin'), wild)),
      max_runtime: optional(fc.integer({ min: -1, max: 3 })),
    }),
  ),
})
const ranges = fc.array(
  fc.array(fc.tuple(payloads, fc.integer({ min: 0, max: 30 })), { maxLength: 12 }),
  { maxLength: 4 },
)

test('no check-in blocks its partition, and every failed run has its event in the outbox', async () => {
  let recordNo = 0
  await fc.assert(
    fc.asyncProperty(ranges, async (all) => {
      await pg.query('delete from monitors')
      await pg.query('delete from outbox_events')
      for (const [index, range] of all.entries()) {
        const checkIns = range.flatMap(([payload, minute]) => {
          const parsed = parseCheckIn(Buffer.from(JSON.stringify(payload)))
          if (parsed.kind === 'rejected') return []
          const receivedAtMs = start + (index * 10 + minute) * minuteMs
          recordNo += 1
          const recordId = hashOf(`${recordNo}`)
          const { checkIn, error } = parsed
          const none = storedText('')
          const place = { projectId: project, dsnKeyNo: 1, component: none, sdk: none }
          return { ...checkIn, ...place, error, recordId, receivedAtMs }
        })
        const minutes = [5, 15, 40].map((minute) => start + (index * 10 + minute) * minuteMs)
        const part = {
          partition: 0,
          layout: firstLayout({ partitions: 1, streams: 1 }),
          checkIns,
          minutes,
        }
        await inTransaction(pg, (client) => commitMonitors(client, part, new Set([project])))
      }
      const { rows } = await pg.query(
        `select (select count(*) from outbox_events) as events,
           (select count(*) from monitor_runs where event_id is not null) as failed,
           (select count(*) from monitor_runs join outbox_events using (event_id)) as both`,
      )
      expect([rows[0].failed, rows[0].both]).toEqual([rows[0].events, rows[0].events])
    }),
    { seed: 20_261_121, numRuns: 100 },
  )
})
