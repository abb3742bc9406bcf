import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { SecretBox } from '#platform/secret-box.ts'
import { type SealPurpose, sealedColumns } from '#schemas/sealed-columns.ts'
import { apiOfThisFile, type Tenant } from '../../../../test/fixtures/api-fixture.ts'
import { runAdmin } from '../../run-admin.ts'

const api = apiOfThisFile()
let tenant: Tenant

const before = 'the secret before, of enough characters'
const current = 'the secret of now, of enough characters'
const boxes = { before: new SecretBox(before), current: new SecretBox(current) }
const purposes = Object.keys(sealedColumns) as SealPurpose[]

beforeAll(async () => {
  tenant = await api().tenant('Shop')
})
afterEach(async () => {
  for (const { table } of Object.values(sealedColumns)) {
    await api().pool.query(`delete from ${table}`)
  }
})

async function rotate(env: Record<string, string>) {
  let stdout = ''
  let stderr = ''
  const code = await runAdmin(['secret', 'rotate', '--json'], {
    env: { POSTGRES_URL: api().stores.postgresUrl, ...env },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stderr, json: () => JSON.parse(stdout) }
}

const both = { SLUICE_SECRET: current, SLUICE_SECRET_PREVIOUS: before }

test('every column of sealed values is re-sealed, with any number of rows, and a second run changes nothing', async () => {
  // More than one batch, so that the next one has to continue where it ended.
  const rowCount = 230
  const ids = new Map<SealPurpose, string[]>()
  for (const purpose of purposes) {
    ids.set(purpose, await addRows(purpose, boxes.before, rowCount))
    await addRows(purpose, boxes.current, 1)
  }

  const first = await rotate(both)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.json()).toEqual({
    resealed: rowCount * purposes.length,
    current: purposes.length,
    columns: purposes.map((purpose) => ({
      ...sealedColumns[purpose],
      ...{ resealed: rowCount, current: 1, unreadable: 0 },
    })),
  })
  for (const purpose of purposes) {
    const stored = await storedRows(purpose)
    for (const id of ids.get(purpose) ?? []) {
      expect(boxes.current.open(purpose, id, stored.get(id) ?? Buffer.alloc(0))).toBe(`of ${id}`)
    }
  }

  const again = await rotate(both)
  expect(again.json()).toMatchObject({ resealed: 0, current: (rowCount + 1) * purposes.length })
  const withoutPrevious = await rotate({ SLUICE_SECRET: current })
  expect(withoutPrevious.json()).toMatchObject({ resealed: 0 })
  const { code, stderr } = await rotate({ SLUICE_SECRET: before })
  expect(code).toBe(1)
  expect(stderr).toContain('SLUICE_SECRET is not the secret of installation')
})

test('a value that neither secret opens is reported and unchanged, and all others are re-sealed', async () => {
  const [first, ...others] = purposes
  if (first === undefined) throw new Error('nothing is sealed')
  const [strange = ''] = await addRows(first, new SecretBox('x'.repeat(40)), 1)
  const untouched = (await storedRows(first)).get(strange)
  for (const purpose of purposes) await addRows(purpose, boxes.before, 2)

  const { code, stderr } = await rotate(both)
  expect(code).toBe(1)
  const { table, column } = sealedColumns[first]
  expect(stderr).toContain(`1 in ${table}.${column}.`)
  expect((await storedRows(first)).get(strange)).toEqual(untouched)
  for (const purpose of others) {
    for (const [id, sealed] of await storedRows(purpose)) {
      expect(boxes.current.open(purpose, id, sealed)).toBe(`of ${id}`)
    }
  }
})

// biome-ignore format: the columns are the point
test.each([
  ['no secret at all',        { SLUICE_DATA_DIR: '/nowhere' },                                  'set SLUICE_SECRET'],
  ['a short secret',          { SLUICE_SECRET: 'short' },                                       'SLUICE_SECRET: '],
  ['a short previous secret', { SLUICE_SECRET: current, SLUICE_SECRET_PREVIOUS: 'short' },      'SLUICE_SECRET_PREVIOUS: '],
])('%s is one sentence', async (_name, env, sentence) => {
  const { code, stderr } = await rotate(env)
  expect(code).toBe(1)
  expect(stderr).toContain(sentence)
})

/** Bytes that are not sealed. A new column of bytes belongs here or in sealedColumns. */
const unsealed = [
  'installation.secret_fingerprint',
  'contact_import_chunks.bytes',
  'dead_letters.bytes',
  'event_attachments.sha256',
  'attachment_removals.sha256',
  'partition_cursors.planned_outcomes',
]

test('every column of bytes is a hash, known not to be sealed, or in the table that is rotated', async () => {
  const { rows } = await api().pool.query<{ name: string; column: string }>(
    `select table_name || '.' || column_name as name, column_name as column from information_schema.columns
      where table_schema = 'public' and (data_type = 'bytea' or column_name like '%seal%')`,
  )
  const rotated = Object.values(sealedColumns).map(({ table, column }) => `${table}.${column}`)
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(rotated))
  const unknown = rows
    .filter(({ column }) => !column.endsWith('_hash'))
    .map(({ name }) => name)
    .filter((name) => !rotated.includes(name) && !unsealed.includes(name))
  expect(unknown).toEqual([])
})

/** Rows with the fewest columns that their table takes, each with a text that names it. */
async function addRows(purpose: SealPurpose, box: SecretBox, count: number): Promise<string[]> {
  const { organizationId, project } = tenant
  const insert: Record<SealPurpose, (id: string, sealed: Buffer) => [string, unknown[]]> = {
    dkim: (id, sealed) => [
      `insert into sending_domains (id, organization_id, domain, selector, sealed_key, public_key)
       values ($1, $2, $3, 's', $4, 'p')`,
      [id, organizationId, `${id}.test`, sealed],
    ],
    'bounce adapter': (id, sealed) => [
      `insert into bounce_adapters (id, organization_id, adapter, secret_hash, sealed_settings)
       values ($1, $2, 'resend', $3, $4)`,
      [id, organizationId, Buffer.from(id), sealed],
    ],
    'enduser secret': (id, sealed) => [
      `insert into enduser_secrets (id, project_id, sealed_secret, prefix) values ($1, $2, $3, 'p')`,
      [id, project.id, sealed],
    ],
    'email body': (id, sealed) => [
      `with address as (
         insert into addresses (id, organization_id, email_key) values ($1::uuid, $2, $4) returning id
       )
       insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, sealed_body)
       select $1::uuid, $2, id, 'system', 0, 'a@example.com', 'b@example.com', 's', '', $3 from address`,
      [id, organizationId, sealed, id],
    ],
    'notification target': (id, sealed) => [
      `with webhook as (
         insert into webhooks (id, organization_id, label, events) values ($1::uuid, $2, 'w', '{}') returning id
       )
       insert into notification_targets (id, organization_id, webhook_id, type, shown, sealed_settings)
       select $1::uuid, $2, id, 'webhook', '{}', $3 from webhook`,
      [id, organizationId, sealed],
    ],
  }
  const ids = Array.from({ length: count }, () => uuidv7())
  for (const id of ids) {
    const [text, values] = insert[purpose](id, box.seal(purpose, id, `of ${id}`))
    await api().pool.query(text, values)
  }
  return ids
}

async function storedRows(purpose: SealPurpose): Promise<Map<string, Buffer>> {
  const { table, column } = sealedColumns[purpose]
  const { rows } = await api().pool.query<{ id: string; sealed: Buffer }>(
    `select id, ${column} as sealed from ${table}`,
  )
  return new Map(rows.map(({ id, sealed }) => [id, sealed]))
}
