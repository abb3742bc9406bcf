import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin } = adminOf(api)

beforeAll(async () => {
  await admin('organization create --name Acme')
})

describe('the product that the command line finds', () => {
  test('by demo.json in the data folder, with the ingest URL of that file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-admin-'))
    try {
      const { postgresUrl, clickhouseUrl } = api().stores
      const ingestUrl = 'http://127.0.0.1:8030'
      const demo = { postgresUrl, clickhouseUrl, ingestUrl, apiUrl: 'http://127.0.0.1:8031' }
      await writeFile(join(folder, 'demo.json'), JSON.stringify(demo))
      const { code, stdout } = await admin(
        'project create --name Found --organization Acme --json',
        {
          SLUICE_DATA_DIR: folder,
        },
      )
      expect([code, JSON.parse(stdout).dsn]).toEqual([
        0,
        expect.stringContaining('@127.0.0.1:8030/'),
      ])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no data folder',                  { SLUICE_DATA_DIR: '/nowhere/at/all' },              'No running Sluice was found'],
    ['a URL of something else',         { POSTGRES_URL: 'http://127.0.0.1:1' },              'POSTGRES_URL'],
    ['a Postgres that does not answer', { POSTGRES_URL: 'postgres://x:x@127.0.0.1:1/x' },    'Postgres does not answer'],
  ] as const)('%s is one sentence', async (_name, other, sentence) => {
    const { code, stdout, stderr } = await admin('organization list', other)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(sentence)
    expect(stderr.trimEnd()).not.toContain('\n')
  })
})
