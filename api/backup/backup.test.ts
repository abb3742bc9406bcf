/** Backup and restore between real databases; all assertions go through the command line. */
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Manifest, ObjectRef } from '#schemas/backup/manifest.ts'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { fillTenant, makeSide } from '../../test/fixtures/filled-tenant.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { lockBackups } from './postgres/connection-store.ts'
import { nameTarget } from './target.ts'

// cspell:ignore nextval tgenabled

const api = apiOfThisFile()
const { admin } = adminOf(api)
let folder: string
let targetPostgres: TestStores
/** Another Postgres, and another database of the same ClickHouse: a process can have only one. */
let target: Pick<TestStores, 'postgresUrl' | 'clickhouseUrl'>

/** Texts that Postgres can hold, in fields of every kind. */
const hostile = [
  '\\.',
  '\\N',
  '\\\\.\n\\.\n',
  'tab\tnewline\nreturn\rbackslash\\',
  '\u{1f9e8}\u202e\ufeff\uffff\u0001\u007f',
  '"\'`$ {}<>&',
  'long '.repeat(300_000),
  '',
]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-backups-'))
  targetPostgres = await startStores()
  const clickhouse = new URL(api().stores.clickhouseUrl)
  clickhouse.pathname = '/restored'
  target = { postgresUrl: targetPostgres.postgresUrl, clickhouseUrl: clickhouse.href }
  const side = await makeSide(api(), 'acme-news')
  await fillTenant(api(), side, 'acme-news')
  const { tenant } = side
  const issue = await api().addIssue(tenant, { hashes: ['a', 'b'], count: 3 })
  // Rows that refer to rows after them in the order of their keys.
  for (let index = 0; index < 20; index += 1) {
    const other = await api().addIssue(tenant, { hashes: [`other ${index}`], count: 1 })
    await api().pool.query('update issues set merged_into = $1 where id = $2', [issue, other])
  }
  for (const [index, text] of hostile.entries()) {
    await api().pool.query(
      `insert into dead_letters (generation, partition, stream_seq, record_index, reason, detail, bytes, header)
       values (1, 0, $1, 0, 'undigestible', $2, $3, $4)`,
      [
        index,
        text,
        Buffer.from(`\0${text}\xff`, 'latin1'),
        JSON.stringify({ text, n: [1e308, null] }),
      ],
    )
  }
  await api().addEvents(
    tenant,
    hostile.map((text, index) => {
      const id = index.toString(16).padStart(32, '0')
      return {
        id,
        hash: 'a',
        title: text,
        payload: `\0${text}`,
        tags: { [text.slice(0, 90)]: text.slice(0, 90) },
      }
    }),
  )
  const outcome = {
    outcome: 'accepted',
    reason: '',
    category: 'error',
    component: '',
    dsn_key_no: 1,
  }
  const hour = '2026-11-20 10:00:00'
  // Two inserts of the same rows: two parts with the same content, both of which count.
  for (let index = 0; index < 2; index += 1) {
    await api().clickhouse.command({ query: 'system stop merges outcomes' })
    await api().clickhouse.insert({
      table: 'outcomes',
      values: [{ project_id: 1, hour, quantity: 3, ...outcome }],
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplicate: 0 },
    })
  }
  await api().pool.query(
    `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
     values (0, 7, 'stream', 3, 41, 41)`,
  )
  await api().pool.query(
    'update partition_cursors set noted_seq = committed_seq where partition = 0',
  )
})
afterAll(async () => {
  await targetPostgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

let place: string
beforeEach(async () => {
  place = await mkdtemp(join(folder, 'place-'))
})

function targetEnv({ postgresUrl, clickhouseUrl }: typeof target): Record<string, string> {
  return { POSTGRES_URL: postgresUrl, CLICKHOUSE_URL: clickhouseUrl }
}

/** Restores over what the databases hold, and names them. */
function replace(env: Record<string, string>, further = '') {
  const urls = { postgresUrl: env['POSTGRES_URL']!, clickhouseUrl: env['CLICKHOUSE_URL']! }
  return run(`backup restore --from ${place} --replace ${nameTarget(urls)}${further}`, env)
}

async function manifestOf(id: string, from = place): Promise<Manifest> {
  return JSON.parse(await readFile(join(from, 'manifests', `${id}.json`), 'utf8')).manifest
}

/** Objects by table; equal objects are equal rows. */
function contentOf(manifest: Manifest): Record<string, readonly string[]> {
  const hashes = (objects: readonly ObjectRef[]) => objects.map(({ sha256 }) => sha256)
  return Object.fromEntries([
    ...manifest.postgres.tables.map(({ schema, name, objects }) => [
      `${schema}.${name}`,
      hashes(objects),
    ]),
    ...manifest.clickhouse.tables.map(({ name, parts }) => {
      return [`clickhouse.${name}`, parts.flatMap(({ objects }) => hashes(objects)).sort()]
    }),
  ])
}

async function run(line: string, env?: Record<string, string>) {
  const { code, stdout, stderr } = await admin(`${line} --json`, env)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

test('a restored installation holds the same rows in every table, and a backup of it adds nothing but what the restore changed', async () => {
  const { id, rows } = await run(`backup create --to ${place}`)
  expect(rows).toBeGreaterThan(60)
  const env = targetEnv(target)
  const restored = await run(`backup restore --from ${place}`, env)
  expect(restored).toMatchObject({ id, replay: null, campaignsPaused: 0 })
  const again = await run(`backup create --to ${place}`, env)
  const [before, after] = [await manifestOf(id), await manifestOf(again.id)]
  const changed = Object.entries(contentOf(before)).filter(([table, objects]) => {
    return objects.join() !== contentOf(after)[table]?.join()
  })
  expect(changed.map(([table]) => table)).toEqual(['public.partition_cursors'])
  expect(after.cursors).toEqual([
    { partition: 0, generation: 4, committedSeq: 41, incarnation: 'stream' },
  ])
  expect(again.objectsAdded).toBe(1)
  // No note has the new generation, and a worker must not take that for an older ClickHouse.
  expect(await query(target.postgresUrl, 'select noted_seq from partition_cursors')).toEqual([
    { noted_seq: null },
  ])
  expect(after.installationId).toBe(before.installationId)
  const skipped = await query(
    target.postgresUrl,
    `select nextval(pg_get_serial_sequence('quota_leases', 'lease_no')) as n`,
  )
  expect(Number(skipped[0]?.['n'])).toBeGreaterThan(2 ** 36)
  // Constraints and triggers are in force again.
  await expect(
    query(
      target.postgresUrl,
      `insert into issues (id, project_id, short_no, title, culprit, level, first_seen, last_seen) select gen_random_uuid(), 999999, 1, '', '', 'error', now(), now()`,
    ),
  ).rejects.toThrow()
  const triggers = await query(target.postgresUrl, `select 1 from pg_trigger where tgenabled = 'D'`)
  expect(triggers).toEqual([])
})

test('a second backup copies only what changed', async () => {
  await run(`backup create --to ${place}`)
  const same = await run(`backup create --to ${place}`)
  expect(same).toMatchObject({ objectsAdded: 0, bytesAdded: 0 })
  await admin('organization create --name Another')
  const changed = await run(`backup create --to ${place}`)
  expect(changed.objectsAdded).toBeGreaterThan(0)
  expect(changed.objectsAdded).toBeLessThan(5)
  expect(changed.bytesAdded).toBeLessThan(10_000)
})

test('a part that differs only in a quantity is another part', async () => {
  const partsOf = async () => {
    const { id } = await run(`backup create --to ${place}`)
    const { clickhouse } = await manifestOf(id)
    return clickhouse.tables
      .find(({ name }) => name === 'outcomes')!
      .parts.flatMap(({ objects }) => objects.map(({ sha256 }) => sha256))
  }
  const insert = (quantity: number) =>
    api().clickhouse.command({
      query: `insert into outcomes (project_id, hour, outcome, category, quantity)
              values (77, '2026-08-01 10:00:00', 'accepted', 'error', ${quantity})`,
    })
  await insert(5)
  const before = await partsOf()
  await api().clickhouse.command({ query: `alter table outcomes drop partition 202608` })
  await insert(6)
  const after = await partsOf()
  expect(after).toHaveLength(before.length)
  expect(after.filter((sha256) => !before.includes(sha256))).toHaveLength(1)
})

test.each([1, 2, 9_000])('a part of %i events is copied', async (count) => {
  const { clickhouse } = api()
  await clickhouse.command({ query: 'system stop merges events' })
  await clickhouse.command({
    query: `insert into events (project_id, event_id, received_at, retention_days)
            select 78, generateUUIDv4(), now64(3), 90 from numbers(${count})`,
  })
  const { id } = await run(`backup create --to ${place}`)
  const manifest = await manifestOf(id)
  const events = manifest.clickhouse.tables.find(({ name }) => name === 'events')!
  expect(events.parts.map(({ rows }) => rows)).toContain(count)
  expect(await run(`backup verify --from ${place} --id ${id}`)).toMatchObject({ problems: [] })
  await clickhouse.command({ query: 'system start merges events' })
  await clickhouse.command({
    query: 'alter table events delete where project_id = 78',
    clickhouse_settings: { mutations_sync: '2' },
  })
})

test('verify names a missing, a damaged and a truncated object, and a restore refuses them before it ends', async () => {
  const { id } = await run(`backup create --to ${place}`)
  expect(await run(`backup verify --from ${place}`)).toMatchObject({ id, problems: [] })
  const manifest = await manifestOf(id)
  const shaOf = (name: string) => {
    const object = manifest.postgres.tables.find((table) => table.name === name)?.objects[0]
    return object!.sha256
  }
  const [missing, damaged, cut] = ['people', 'projects', 'organizations'].map(shaOf) as [
    string,
    string,
    string,
  ]
  const pathOf = (sha: string) => join(place, 'objects', sha.slice(0, 2), sha)
  await rm(pathOf(missing))
  await writeFile(pathOf(damaged), await readFile(pathOf(cut)))
  await truncate(pathOf(cut), 20)
  const { code, stdout, stderr } = await admin(`backup verify --from ${place} --json`)
  expect([code, stderr]).toEqual([1, expect.stringContaining('3 problems')])
  const problems = JSON.parse(stdout).problems.map(({ table, sha256 }: Record<string, string>) => [
    table,
    sha256,
  ])
  expect(problems.sort()).toEqual([
    ['public.organizations', cut],
    ['public.people', missing],
    ['public.projects', damaged],
  ])
  await expect(replace(targetEnv(target))).rejects.toThrow(
    /Object [0-9a-f]{64} in .* (?:is missing|is damaged)/,
  )
  // A repaired place and the same command: nothing has to be cleaned up by hand.
  await run(`backup create --to ${place}`)
  expect(await run(`backup verify --from ${place} --id ${id}`)).toMatchObject({ problems: [] })
  await run(`backup restore --from ${place} --id ${id}`, targetEnv(target))
})

test('a restore refuses databases with content, with live services and with other tables', async () => {
  await run(`backup create --to ${place}`)
  const { postgresUrl, clickhouseUrl } = api().stores
  const own = targetEnv(api().stores)
  await expect(run(`backup restore --from ${place}`)).rejects.toThrow(
    /^The Postgres database is not empty \(.*organizations \("acme-news".* \d+ events, the newest of 20.*add `--replace \S+\/\S+,\S+\/\S+`\.\s*$/,
  )
  const url = new URL(target.postgresUrl)
  const name = `${url.pathname.slice(1)}_fresh`
  await query(target.postgresUrl, `create database ${name}`)
  url.pathname = `/${name}`
  const fresh = { POSTGRES_URL: url.href, CLICKHOUSE_URL: clickhouseUrl }
  await expect(run(`backup restore --from ${place}`, fresh)).rejects.toThrow(
    'ClickHouse database is not empty',
  )
  const service = new pg.Client({
    connectionString: postgresUrl,
    application_name: 'sluice-workers',
  })
  await service.connect()
  await expect(replace(own)).rejects.toThrow('A service is connected to this Postgres (workers)')
  await service.end()
  await query(url.href, 'create table theirs (n int)')
  const foreign = { POSTGRES_URL: url.href, CLICKHOUSE_URL: target.clickhouseUrl }
  await expect(replace(foreign)).rejects.toThrow('not of Sluice (theirs)')
  await query(target.postgresUrl, `drop database ${name} with (force)`)
})

test('a restore never empties a ClickHouse database of something else, or of another installation', async () => {
  await run(`backup create --to ${place}`)
  const { clickhouse } = api()
  const database = (name: string) => {
    const url = new URL(api().stores.clickhouseUrl)
    url.pathname = `/${name}`
    return { POSTGRES_URL: target.postgresUrl, CLICKHOUSE_URL: url.href }
  }
  const command = (query: string) => clickhouse.command({ query })
  await command('create database theirs')
  await command('create table theirs.orders (n UInt8) engine = MergeTree order by n')
  await expect(replace(database('theirs'))).rejects.toThrow('not of Sluice (orders)')
  const id = crypto.randomUUID()
  await command('create database others')
  await command(
    'create table others.migrations (name String, sha256 String, at DateTime) engine = MergeTree order by name',
  )
  await command(
    'create table others.installation (id UUID, at DateTime64(6)) engine = MergeTree order by at',
  )
  await command(`insert into others.installation values ('${id}', now64(6))`)
  await expect(replace(database('others'))).rejects.toThrow(`belongs to installation ${id}`)
  const left = await clickhouse.query({
    query: `select name from system.tables where database in ('theirs', 'others')`,
    format: 'JSONEachRow',
  })
  expect(await left.json()).toHaveLength(3)
  for (const name of ['theirs', 'others']) await command(`drop database ${name}`)
})

test('emails that were waiting are sent again, or cancelled', async () => {
  const waiting = `select count(*)::int as n from sends where state in ('queued', 'claimed')`
  const { rows } = await api().pool.query(waiting)
  expect(rows[0].n).toBeGreaterThan(0)
  await run(`backup create --to ${place}`)
  const env = targetEnv(target)
  const kept = await replace(env)
  expect(kept).toMatchObject({ emailsWaiting: rows[0].n, emailsCancelled: 0 })
  expect(await query(target.postgresUrl, waiting)).toEqual(rows)
  const cancelled = await replace(env, ' --cancel-emails')
  expect(cancelled).toMatchObject({ emailsWaiting: 0, emailsCancelled: rows[0].n })
  expect(await query(target.postgresUrl, waiting)).toEqual([{ n: 0 }])
})

test.each([
  ['another host', (name: string) => `db.example.com${name.slice(name.indexOf('/'))}`],
  ['only Postgres', (name: string) => name.split(',')[0]!],
  ['the databases in another order', (name: string) => name.split(',').reverse().join()],
  ['nothing', () => '.'],
])('--replace with %s deletes nothing and says what to write', async (_what, wrong) => {
  await run(`backup create --to ${place}`)
  const right = nameTarget(api().stores)
  const { code, stderr } = await admin(
    `backup restore --from ${place} --replace ${wrong(right)}`,
    targetEnv(api().stores),
  )
  expect([code, stderr]).toEqual([1, expect.stringContaining(`write \`--replace ${right}\`.`)])
  const { rows } = await api().pool.query('select count(*)::int as count from organizations')
  expect(rows[0].count).toBeGreaterThan(0)
})

test('of two backups at once, the second says so', async () => {
  const other = new pg.Client({ connectionString: api().stores.postgresUrl })
  await other.connect()
  await lockBackups(other)
  await expect(run(`backup create --to ${place}`)).rejects.toThrow('Another backup or restore')
  await other.end()
})

test('a partition that does not commit is named, and the hold ends', async () => {
  const { pool } = api()
  await pool.query('update partition_cursors set planned_seq = 50')
  await expect(run(`backup create --to ${place} --wait 1`)).rejects.toThrow(
    'Partition 0 did not commit its planned range (41 to 50) within 1 s',
  )
  expect((await pool.query('select from backup_holds')).rowCount).toBe(0)
  expect(await readdir(place)).not.toContain('manifests')
  const { rows } = await pool.query(
    `select state, error from backups order by started_at desc limit 1`,
  )
  expect(rows[0]).toEqual({ state: 'failed', error: expect.stringContaining('Partition 0') })
  await pool.query('update partition_cursors set planned_seq = 41')
})

test('a batch of outcome corrections that may have been inserted is waited for', async () => {
  const { pool } = api()
  await pool.query(
    `insert into outcome_corrections (project_id, dsn_key_no, component, hour, outcome, reason, category, quantity, batch)
     select dsn_id, 0, '', now(), 'accepted', '', 'error', 1, gen_random_uuid() from projects limit 1`,
  )
  await expect(run(`backup create --to ${place} --wait 1`)).rejects.toThrow('outcome corrections')
  await pool.query('update outcome_corrections set batch = null')
  await run(`backup create --to ${place} --wait 1`)
  await pool.query('delete from outcome_corrections')
})

test('prune keeps the newest, and what they name', async () => {
  const first = await run(`backup create --to ${place}`)
  await admin('organization create --name Pruned')
  const second = await run(`backup create --to ${place}`)
  const pruned = await run(`backup prune --from ${place} --keep 1`)
  expect(pruned).toMatchObject({ deleted: [first.id], kept: 1 })
  expect(pruned.objectsDeleted).toBeGreaterThan(0)
  expect(await run(`backup verify --from ${place}`)).toMatchObject({ id: second.id, problems: [] })
  const third = await run(`backup create --to ${place} --keep 1`)
  expect(third.deleted).toEqual([second.id])
  await run(`backup delete ${third.id} --from ${place}`)
  expect(await run(`backup list --from ${place}`)).toEqual([])
  expect(
    await readdir(join(place, 'objects'), { recursive: true }).then((all) =>
      all.filter((one) => one.length > 10),
    ),
  ).toEqual([])
})

test('a prune and a backup of one place do not run at once, and a lock that was left behind does not stay', async () => {
  const lock = (work: string, owner: string, atMs: number) =>
    writeFile(join(place, 'locks', 'other.json'), JSON.stringify({ work, owner, atMs }))
  await run(`backup create --to ${place}`)
  await lock('prune', '', Date.now())
  await expect(run(`backup create --to ${place}`)).rejects.toThrow('Old backups are being pruned')
  await lock('create', crypto.randomUUID(), Date.now())
  await expect(run(`backup prune --from ${place} --keep 1`)).rejects.toThrow(
    'A backup is being written',
  )
  await run(`backup create --to ${place}`)
  await lock('create', crypto.randomUUID(), Date.now() - 2 * 3_600_000)
  await run(`backup prune --from ${place} --keep 1`)
  expect(await readdir(join(place, 'locks'))).toEqual([])
})

// biome-ignore format: the columns are the point
test.each([
  ['create',                                     "Required option '--to <place>' not specified"],
  ['create --to ftp://host/path',                'ftp:// is not supported'],
  ['create --to s3://a/b',                       'is not the name of a bucket'],
  ['create --to s3://bucket/b',                  'needs AWS_ACCESS_KEY_ID'],
  ['create --to /dev/null/x',                    'a file has the name of the folder'],
  ['create --to /tmp --wait 1e9',                '--wait is "1e9"'],
  ['create --to /tmp --keep 0',                  '--keep is "0"'],
  ['verify --from /nowhere',                     'holds no backup'],
  ['verify --from /nowhere --id ../../x',        'is not the id of a backup'],
  ['verify --from /nowhere --sample 101',        '--sample is "101"'],
  ['delete 20261123T052402097Z-1278f55e --from /nowhere', 'holds no backup'],
] as const)('backup %s is one sentence', async (line, sentence) => {
  const { code, stdout, stderr } = await admin(`backup ${line}`)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
  expect(stderr.trimEnd()).not.toContain('\n')
})

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
