/** Compares stored ids of counted items with a window that was never rebuilt. */
import { describe, expect, test } from 'vitest'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import type { ItemId } from '../digest/free-records.ts'
import { IdWindow, latenessSeconds, secondOf } from './id-window.ts'
import { itemIdsAmong, keepItemIds, readItemIds } from './item-id-store.ts'

let pg: Pool

usePostgres((fixture) => {
  pg = fixture.pg
})

const project = 7 as ProjectId
const nowMs = Date.UTC(2026, 10, 20, 12, 30, 0, 999)
const minuteMs = 60_000

const idOf = (name: string, receivedAtMs = nowMs, projectId = project): ItemId => ({
  projectId,
  recordId: hashOf(name),
  receivedAtMs,
})

const keep = (partition: number, ids: readonly ItemId[]) =>
  inTransaction(pg, (client) => keepItemIds(client, { partition, first: 0 }, ids))

async function rebuilt(partition: number, first = 0): Promise<(id: ItemId) => boolean> {
  const window = new IdWindow()
  await readItemIds(pg, { partition, first }, window)
  return ({ projectId, recordId, receivedAtMs }) => {
    const { fingerprinter } = window
    fingerprinter.ofBytes(projectId, Buffer.from(recordId, 'hex'), 0)
    const { a, b, c } = fingerprinter
    return window.has(a, b, c, secondOf(receivedAtMs))
  }
}

describe('ids of items', () => {
  test('are known to the next owner of their partition only', async () => {
    await keep(0, [idOf('a'), idOf('b', nowMs - minuteMs)])
    await keep(1, [idOf('c')])
    const knows = await rebuilt(0)
    expect([idOf('a'), idOf('b'), idOf('c')].map(knows)).toEqual([true, true, false])
    expect(knows(idOf('a', nowMs, 8 as ProjectId))).toBe(false)
  })

  test('of former partitions are known to every present one', async () => {
    await pg.query('delete from item_ids')
    await keep(0, [idOf('a')])
    await keep(1, [idOf('b', nowMs - minuteMs)])
    await keep(3, [idOf('c')])
    const knows = await rebuilt(2, 2)
    expect([idOf('a'), idOf('b', nowMs - minuteMs), idOf('c')].map(knows)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('of former partitions are deleted without waiting for another commit', async () => {
    await pg.query('delete from item_ids')
    const keptMs = dedupWindowMs + latenessSeconds * 1000
    await keep(0, [idOf('old', nowMs - keptMs - minuteMs)])
    const keepNow = (client: PoolClient, partition: number) =>
      keepItemIds(client, { partition, first: 1 }, [idOf(`new ${partition}`)])
    await inTransaction(pg, async (client) => {
      await keepNow(client, 1)
      await inTransaction(pg, (other) => keepNow(other, 2))
    })
    const { rows } = await pg.query('select partition from item_ids order by partition')
    expect(rows).toEqual([{ partition: 1 }, { partition: 2 }])
  })

  test('are read in as many pages as necessary', async () => {
    const ids = Array.from({ length: 60_000 }, (_, index) => idOf(`${index}`, nowMs - index))
    await keep(2, ids)
    const knows = await rebuilt(2)
    expect(ids.filter((id) => !knows(id))).toEqual([])
  })

  test('are found by single look-ups for a day around their receipt', async () => {
    await keep(3, [idOf('a')])
    const asked = [
      idOf('a', nowMs + dedupWindowMs - 1_000),
      idOf('a', nowMs - dedupWindowMs + 1_000),
      idOf('a', nowMs + dedupWindowMs),
      idOf('b'),
      idOf('a', nowMs, 8 as ProjectId),
    ]
    expect(await itemIdsAmong(pg, { partition: 3, first: 0 }, asked)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(await itemIdsAmong(pg, { partition: 4, first: 0 }, asked)).not.toContain(true)
  })

  test('are deleted when no window would keep them any more', async () => {
    const keptMs = dedupWindowMs + latenessSeconds * 1000
    await keep(5, [idOf('old', nowMs - keptMs - minuteMs), idOf('young', nowMs - minuteMs)])
    await keep(5, [idOf('new')])
    const { rows } = await pg.query(
      'select count(*)::int as count from item_ids where partition = 5',
    )
    expect(rows).toEqual([{ count: 2 }])
  })
})
