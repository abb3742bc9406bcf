import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { createClickHouse } from '../clickhouse.ts'
import type { Pool } from '../postgres.ts'
import {
  checkSecret,
  SecretError,
  secretFingerprint,
  storeSecretFingerprint,
} from './check-secret.ts'
import {
  checkClickHouseOwner,
  claimClickHouse,
  ForeignInstallationError,
  installationMark,
  readInstallation,
} from './installation.ts'
import { noteLayout } from './layouts.ts'

let pg: Pool
let clickhouseUrl: string
usePostgres((fixture) => {
  pg = fixture.pg
  clickhouseUrl = fixture.stores.clickhouseUrl
})

test('there is one installation, and a second row is impossible', async () => {
  const { id, mark } = await readInstallation(pg)
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(mark).toBe(installationMark(id))
  await expect(pg.query('insert into installation default values')).rejects.toThrow('installation')
})

test('marks fit into 24 bits, are never 0 and differ', () => {
  const marks = Array.from({ length: 300 }, () => installationMark(crypto.randomUUID()))
  for (const mark of marks) expect(mark > 0 && mark < 2 ** 24 && Number.isInteger(mark)).toBe(true)
  expect(new Set(marks).size).toBeGreaterThan(297)
})

test('a ClickHouse database belongs to the first installation that marked it', async () => {
  const clickhouse = createClickHouse(clickhouseUrl, 'test')
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
  try {
    await checkClickHouseOwner(clickhouse, second)
    await claimClickHouse(clickhouse, first)
    await claimClickHouse(clickhouse, first)
    await checkClickHouseOwner(clickhouse, first)
    const claim = claimClickHouse(clickhouse, second)
    await expect(claim).rejects.toThrow(ForeignInstallationError)
    await expect(claim).rejects.toThrow(first)
    await expect(checkClickHouseOwner(clickhouse, second)).rejects.toThrow(second)
  } finally {
    await clickhouse.close()
  }
})

describe('The layout', () => {
  const four = { first: 0, partitions: 4, streams: 1 }
  const eight = { first: 0, partitions: 8, streams: 2 }
  const lines: { code: string; msg: string }[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const told = () => lines.splice(0).map(({ code, msg }) => `${code}: ${msg}`)
  beforeEach(() => {
    lines.length = 0
  })

  test('is logged when it differs from the environment, and when it changed', async () => {
    await noteLayout(pg, { asked: four, found: four }, log)
    await noteLayout(pg, { asked: four, found: four }, log)
    expect(told()).toEqual([])
    await noteLayout(pg, { asked: eight, found: four }, log)
    expect(told()).toEqual([
      'layout_differs: INGEST_PARTITIONS=8 and INGEST_STREAMS=2 are ignored: the streams have 4 partitions in 1 stream. Change it with `admin partitions set`.',
    ])
    await noteLayout(pg, { asked: eight, found: eight }, log)
    expect(told()).toEqual([
      expect.stringContaining(
        'layout_changed: The streams were created again with 8 partitions in 2 streams',
      ),
    ])
    await noteLayout(pg, { asked: eight, found: eight }, log)
    expect(told()).toEqual([])
  })
})

describe('The secret', () => {
  const id = crypto.randomUUID()
  const [a, b, c] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)] as const
  beforeEach(() => pg.query('update installation set secret_fingerprint = null'))

  // biome-ignore format: the columns are the point
  test.each([
    ['is stored by the first process            ', undefined, [a], 'stored'],
    ['is unchanged                              ', a, [a], 'current'],
    ['is unchanged beside one that was never used', a, [a, b], 'current'],
    ['was rotated and is not stored yet          ', a, [b, a], 'previous'],
    ['is one of several previous ones            ', a, [c, b, a], 'previous'],
  ] as const)('%s', async (_name, stored, secrets, result) => {
    if (stored !== undefined) await storeSecretFingerprint(pg, id, stored)
    expect(await checkSecret(pg, id, secrets)).toBe(result)
  })

  test('that was never used is rejected, also as a previous secret', async () => {
    await checkSecret(pg, id, [a])
    await expect(checkSecret(pg, id, [b])).rejects.toThrow(SecretError)
    await expect(checkSecret(pg, id, [b])).rejects.toThrow('SLUICE_SECRET')
    await expect(checkSecret(pg, id, [b, c])).rejects.toThrow(id)
    await storeSecretFingerprint(pg, id, b)
    await expect(checkSecret(pg, id, [a])).rejects.toThrow(SecretError)
    expect(await checkSecret(pg, id, [b])).toBe('current')
  })

  test('of concurrent processes with two secrets: only those with the same secret start', async () => {
    const secrets = [a, b, a, b, a, b]
    const ends = await Promise.allSettled(secrets.map((secret) => checkSecret(pg, id, [secret])))
    const letIn = new Set(secrets.filter((_, at) => ends[at]!.status === 'fulfilled'))
    expect(letIn.size).toBe(1)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('has a fingerprint that does not contain it and differs by installation', () => {
    const fingerprint = secretFingerprint(a, id)
    expect(fingerprint).toHaveLength(16)
    expect(fingerprint.toString('latin1')).not.toContain('aa')
    expect(secretFingerprint(a, crypto.randomUUID())).not.toEqual(fingerprint)
  })
})
