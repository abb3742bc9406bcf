import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { runAdmin } from '../run-admin.ts'

const api = apiOfThisFile()
let shop: Tenant
let blog: Tenant

beforeAll(async () => {
  shop = await api().tenant('Shop')
  blog = await api().tenant('Blog')
})

beforeEach(async () => {
  await api().pool.query('delete from dead_letters')
  await api().pool.query(`delete from audit_log where action like 'dead_letter.%'`)
})

async function admin(...args: readonly string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runAdmin(['dead-letter', ...args], {
    env: { POSTGRES_URL: api().stores.postgresUrl },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr }
}

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await admin(...args, '--json')
  expect([args, code, stderr]).toEqual([args, 0, ''])
  return JSON.parse(stdout)
}

interface Kept {
  readonly tenant?: Tenant
  readonly projectId?: number | null
  readonly reason?: string
  readonly detail?: string
  readonly kind?: string | null
  readonly bytes?: string | Uint8Array
  readonly retrying?: boolean
}

let streamSeq = 0

/** Stores a dead letter as a commit of the workers does. */
async function keep(kept: Kept = {}): Promise<number> {
  const { tenant = shop, reason = 'undigestible', kind = 'event' } = kept
  const { detail = 'a store refused it', bytes = '{"message":"m"}' } = kept
  const projectId = kept.projectId === undefined ? tenant.project.dsnId : kept.projectId
  streamSeq += 1
  const { rows } = await api().pool.query<{ id: number }>(
    `insert into dead_letters (partition, generation, stream_seq, record_index, project_id, reason, detail, bytes,
       kind, dsn_key_no, received_at, record_id, address, header, retry_requested_at)
     values (0, 1, $1, 0, $2, $3, $4, $5, $6, 7, '2026-11-20T12:00:00.123Z', $7, '192.0.2.7', $8, $9) returning id`,
    [
      streamSeq,
      projectId,
      reason,
      detail,
      Buffer.from(bytes as string),
      kind,
      'c0ffee00-0000-4000-8000-000000000000',
      '{"component":"worker"}',
      kept.retrying === true ? new Date() : null,
    ],
  )
  return rows[0]!.id
}

const keepFrame = () =>
  keep({
    reason: 'unreadable_frame',
    projectId: null,
    kind: null,
    bytes: Uint8Array.from([0, 255]),
  })

async function stored(): Promise<[id: number, isRequested: boolean][]> {
  const { rows } = await api().pool.query(
    'select id, retry_requested_at is not null as requested from dead_letters order by id',
  )
  return rows.map(({ id, requested }) => [id, requested])
}

async function audited() {
  const { rows } = await api().pool.query(
    `select organization_id, action, subject_id, details from audit_log
     where action like 'dead_letter.%' order by organization_id = $1 desc, id`,
    [shop.organizationId],
  )
  return rows
}

describe('dead-letter list', () => {
  test('lists newest first, by project and reason, up to the limit', async () => {
    const first = await keep()
    const second = await keep({ tenant: blog, retrying: true })
    const frame = await keepFrame()
    const all = await json('list')
    expect(all).toMatchObject([
      { id: frame, project_id: null, project_name: null, reason: 'unreadable_frame', kind: null },
      { id: second, project_name: 'Blog', state: 'retrying' },
      { id: first, project_name: 'Shop', kind: 'event', payload_bytes: 15, state: 'waiting' },
    ])
    const ids = async (...flags: string[]) =>
      (await json('list', ...flags)).map(({ id }: { id: number }) => id)
    expect(await ids('--limit', '1')).toEqual([frame])
    expect(await ids('--reason', 'undigestible')).toEqual([second, first])
    expect(await ids('--organization', 'Shop')).toEqual([frame, first])
    expect(await ids('--organization', 'Shop', '--project', 'Shop')).toEqual([first])
    expect((await admin('list')).stdout).toContain('a store refused it')
  })

  test('is an empty list without dead letters', async () => {
    expect(await json('list')).toEqual([])
    expect((await admin('list')).stdout).toBe('None.\n')
  })
})

describe('dead-letter show', () => {
  test('prints every field, and JSON as text', async () => {
    const id = await keep()
    expect(await json('show', `${id}`)).toEqual({
      id,
      created_at: expect.any(String),
      state: 'waiting',
      retry_requested_at: null,
      retry_sent_at: null,
      project_id: shop.project.dsnId,
      project_name: 'Shop',
      reason: 'undigestible',
      detail: 'a store refused it',
      partition: 0,
      generation: 1,
      stream_seq: streamSeq,
      record_index: 0,
      kind: 'event',
      record_id: 'c0ffee00-0000-4000-8000-000000000000',
      received_at: '2026-11-20T12:00:00.123Z',
      dsn_key_no: 7,
      address: '192.0.2.7',
      header: { component: 'worker' },
      payload_bytes: 15,
      payload_encoding: 'text',
      payload_truncated: false,
      payload: '{"message":"m"}',
    })
    expect((await admin('show', `${id}`)).stdout).toContain('{"component":"worker"}')
  })

  // biome-ignore format: the columns are the point
  test.each<[string, string | Uint8Array, object]>([
    ['no JSON',              'hello',                             { payload_encoding: 'hex', payload: '68656c6c6f' }],
    ['invalid UTF-8',        Uint8Array.from([0x22, 0xff, 0x22]), { payload_encoding: 'hex', payload: '22ff22' }],
    ['nothing',              '',                                  { payload_encoding: 'hex', payload: '' }],
    ['a long text',          JSON.stringify('a'.repeat(70_000)),  { payload_encoding: 'text', payload_truncated: true, payload_bytes: 70_002 }],
    ['cut in a character',   JSON.stringify(`${'a'.repeat(65_534)}😀`), { payload_encoding: 'text', payload_truncated: true }],
    ['many bytes',           new Uint8Array(5_000),               { payload_encoding: 'hex', payload_truncated: true }],
    ['deeply nested JSON',   `${'['.repeat(20_000)}${']'.repeat(20_000)}`, { payload_encoding: 'text' }],
  ])('a payload of %s is bounded and readable', async (_name, bytes, expected) => {
    const shown = await json('show', `${await keep({ bytes })}`)
    expect(shown).toMatchObject(expected)
    expect(shown.payload.length).toBeLessThanOrEqual(65_536)
    expect(shown.payload.isWellFormed()).toBe(true)
  })

  test('prints no control characters of the terminal', async () => {
    const hostile = '\u009b2J\u007f\u202e\u2066\u2028'
    const id = await keep({ bytes: JSON.stringify(hostile), detail: `no\n${hostile}` })
    for (const { stdout } of [await admin('show', `${id}`), await admin('list')]) {
      expect(stdout).not.toMatch(/[\u007f-\u009f\u202e\u2066\u2028]/)
    }
    expect((await json('show', `${id}`)).payload).toBe(JSON.stringify(hostile))
  })
})

describe('dead-letter retry', () => {
  test('marks one once and writes an audit entry', async () => {
    const id = await keep()
    const other = await keep()
    const result = { requested: 1, already_retrying: 0, not_retryable: 0, left: 0 }
    expect(await json('retry', `${id}`)).toEqual(result)
    expect(await stored()).toEqual([
      [id, true],
      [other, false],
    ])
    expect(await json('retry', `${id}`)).toEqual({ ...result, requested: 0, already_retrying: 1 })
    expect(await audited()).toEqual([
      {
        organization_id: shop.organizationId,
        action: 'dead_letter.retried',
        subject_id: `${id}`,
        details: { count: 1, ids: [id] },
      },
    ])
  })

  test('marks those of a project, or all that can be retried, with an entry for each organization', async () => {
    const ofShop = await keep()
    const ofBlog = await keep({ tenant: blog })
    const frame = await keepFrame()
    const old = await keep({ kind: null })
    const orphan = await keep({ projectId: 999_999 })
    const project = ['--organization', 'Blog', '--project', 'Blog', '--reason', 'undigestible']
    expect(await json('retry', ...project)).toMatchObject({ requested: 1, not_retryable: 0 })
    const all = { requested: 1, already_retrying: 1, not_retryable: 3, left: 0 }
    expect(await json('retry', '--all')).toEqual(all)
    expect(await stored()).toEqual([
      [ofShop, true],
      [ofBlog, true],
      [frame, false],
      [old, false],
      [orphan, false],
    ])
    expect(await audited()).toMatchObject([
      { organization_id: shop.organizationId, subject_id: null, details: { ids: [ofShop] } },
      { organization_id: blog.organizationId, details: { ids: [ofBlog], reason: 'undigestible' } },
    ])
  })

  test('does not change dead letters of other organizations', async () => {
    const ofBlog = await keep({ tenant: blog })
    expect(await json('retry', '--all', '--organization', 'Shop')).toMatchObject({ requested: 0 })
    const one = await admin('retry', `${ofBlog}`, '--organization', 'Shop')
    expect(one).toMatchObject({ code: 1, stderr: expect.stringContaining('no dead letter') })
    expect(await stored()).toEqual([[ofBlog, false]])
  })

  // biome-ignore format: the columns are the point
  test.each<[string, Kept, string]>([
    ['an unreadable frame',    { reason: 'unreadable_frame', projectId: null, kind: null }, 'frame that could not be read'],
    ['of an earlier version',  { kind: null },                                              'did not keep what a retry needs'],
    ['of a deleted project',   { projectId: 999_999 },                                      'was deleted'],
  ])('says why one that is %s cannot be retried', async (_name, kept, sentence) => {
    const id = await keep(kept)
    expect(await admin('retry', `${id}`)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    })
    expect(await stored()).toEqual([[id, false]])
  })
})

describe('dead-letter drop', () => {
  test('deletes one permanently and writes an audit entry', async () => {
    const id = await keep()
    const other = await keep()
    expect(await json('drop', `${id}`)).toEqual({ dropped: 1, retrying: 0, left: 0 })
    expect(await stored()).toEqual([[other, false]])
    expect(await audited()).toMatchObject([{ action: 'dead_letter.dropped', subject_id: `${id}` }])
    const again = await admin('drop', `${id}`)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('no dead letter') })
  })

  test('deletes several only with --yes, and none that is being retried', async () => {
    await keep()
    await keep({ tenant: blog })
    const retrying = await keep({ retrying: true })
    const asked = await admin('drop', '--reason', 'undigestible')
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('deletes 2 dead') })
    expect(await stored()).toHaveLength(3)
    const dropped = await json('drop', '--reason', 'undigestible', '--yes')
    expect(dropped).toEqual({ dropped: 2, retrying: 1, left: 0 })
    expect(await stored()).toEqual([[retrying, true]])
    const one = await admin('drop', `${retrying}`)
    expect(one).toMatchObject({ code: 1, stderr: expect.stringContaining('is being retried') })
  })

  test('writes the audit entry of a dead letter without a project in the named organization', async () => {
    const frame = await keepFrame()
    const unnamed = await admin('drop', `${frame}`)
    expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('--organization') })
    expect(await stored()).toHaveLength(1)
    await json('drop', `${frame}`, '--organization', 'Blog')
    expect(await stored()).toEqual([])
    expect(await audited()).toMatchObject([{ organization_id: blog.organizationId }])
  })
})

type Case = [args: readonly string[], sentence: string]

describe('a usage error changes nothing and names the rule', () => {
  // biome-ignore format: the columns are the point
  test.each<Case>([
    [['retry'],                                   'Name one dead letter by its id'],
    [['drop'],                                    'Name one dead letter by its id'],
    [['drop', '--yes'],                           'Name one dead letter by its id'],
    [['retry', '1', '--all'],                     'Name one dead letter by its id'],
    [['retry', '1', '--reason', 'undigestible'],  'Name one dead letter by its id'],
    [['drop', '--all', '--reason', 'undigestible', '--yes'], 'Name one dead letter by its id'],
    [['drop', '--all'],                           'add --yes'],
    [['retry', '--reason', 'undigestable'],       '--reason is not valid: must be one of undigestible, unreadable_frame.'],
    [['retry', '--reason', ''],                   '--reason is not valid'],
    [['list', '--reason', `a'; drop table x`],    '--reason is not valid'],
    [['list', '--organization', 'Shop', '--project', ''], 'No project is called'],
    [['list', '--organization', 'Nobody'],        'No organization is called Nobody'],
    [['list', '--project', 'Shop'],               'several organizations'],
    ...['0', '-1', '1001', '1e3', '5.5', 'all', '', ' 5', '\u0000'].map((limit): Case =>
      [['list', `--limit=${limit}`], '--limit is not valid: must be a whole number from 1 to 1000.']),
    ...['0', '-', '007', '1.0', '1e3', '0x1f', '9'.repeat(16), '9'.repeat(400), 'NaN', '', ' 1', '1;2', '\u0000', '\ud800', '١'].flatMap((id) =>
      ['show', 'retry', 'drop'].map((verb): Case => [[verb, '--id', id], 'The id is not valid: must be the number of a dead letter'])),
    [['show'],                                    "Missing required argument 'id'"],
    [['show', '999999999999999'],                 'There is no dead letter 999999999999999'],
    [['show', '1', '2'],                          'oo many arguments'],
    [['undo', '1'],                               'nknown command'],
    [['list', '--lmit', '5'],                     'nknown option'],
  ])('%j', async (args, sentence) => {
    const id = await keep()
    const { code, stdout, stderr } = await admin(...args)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)])
    expect(stderr.trimEnd()).not.toContain('\n')
    expect(await stored()).toEqual([[id, false]])
    expect(await audited()).toEqual([])
  })
})
