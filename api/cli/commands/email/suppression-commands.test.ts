import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, fixtureSecret } from '../../../../test/fixtures/api-fixture.ts'
import { runAdmin } from '../../run-admin.ts'

const api = apiOfThisFile()

beforeAll(async () => {
  await api().tenant('Emails')
})

async function admin(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = ''
  let stderr = ''
  const code = await runAdmin(args, {
    env: { POSTGRES_URL: api().stores.postgresUrl, SLUICE_SECRET: fixtureSecret, MAIL_SPF: 'mx' },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr }
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await admin(...args, '--json')
  expect([args, code, stderr]).toEqual([args, 0, ''])
  return JSON.parse(stdout)
}

test('an address is suppressed, listed and lifted, and a complaint needs --complaint', async () => {
  await json('suppression', 'add', 'ada@example.test', '--reason', 'by phone')
  expect(await json('suppression', 'list', '--search', 'ada')).toMatchObject([
    { email: 'ada@example.test', cause: 'manual', source: 'by phone' },
  ])
  expect(await json('suppression', 'list', '--cause', 'hard')).toEqual([])
  await api().pool.query(`update addresses set suppression_cause = 'complaint'`)
  const lift = ['suppression', 'lift', 'ada@example.test', '--reason', 'asked for it']
  expect(await admin(...lift)).toMatchObject({ code: 1, stderr: expect.stringContaining('spam') })
  expect(await json(...lift, '--complaint')).toMatchObject({ suppressed: false })
  const { rows } = await api().pool.query(
    `select action, via from audit_log where action like 'suppression.%' order by id`,
  )
  expect(rows).toEqual([
    { action: 'suppression.added', via: 'command_line' },
    { action: 'suppression.lifted', via: 'command_line' },
  ])
})

test('a file is imported, and with --dry-run only counted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'suppressions-'))
  const file = join(folder, 'list.csv')
  try {
    await writeFile(file, 'email\nbob@example.test\nnobody\n')
    const want = { rows: 2, added: 1, invalid: 1, mistakes: [{ row: 2 }] }
    expect(await json('suppression', 'import', file, '--dry-run')).toMatchObject(want)
    expect(await json('suppression', 'import', file)).toMatchObject(want)
    expect(await json('suppression', 'import', file)).toMatchObject({ added: 0, unchanged: 1 })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a sending domain prints its DNS records and is removed by name', async () => {
  const added = await json(
    'domain',
    'add',
    'Sender.test',
    '--selector',
    'k1',
    '--bounce-domain',
    'b.sender.test',
  )
  expect(added.records.map(({ name }: { name: string }) => name)).toEqual([
    '_sluice.sender.test',
    'k1._domainkey.sender.test',
    'b.sender.test',
    '_dmarc.sender.test',
    'b.sender.test',
  ])
  expect(added.records[2].value).toBe('v=spf1 mx ~all')
  expect(await json('domain', 'list')).toMatchObject([
    { domain: 'sender.test', state: 'pending', ready: false },
  ])
  expect(await json('domain', 'remove', 'sender.test')).toMatchObject({ removed: true })
})

test('an operator allows a domain once and disallows it again', async () => {
  const create = ['newsletter', 'create', '--slug', 'ops', '--name', 'Ops', '--from', 'n@ops.test']
  const refused = await admin(...create)
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('domain create ops.test'),
  })
  await json('domain', 'allow', 'OPS.test', '--reason', 'the relay signs')
  await json('domain', 'allow', 'ops.test')
  expect(await json('domain', 'allowed')).toMatchObject([
    { domain: 'ops.test', reason: 'the relay signs' },
  ])
  expect(await json(...create)).toMatchObject({ slug: 'ops' })
  expect(await json('domain', 'disallow', 'ops.test')).toEqual({
    domain: 'ops.test',
    allowed: false,
  })
  expect(await admin('domain', 'disallow', 'ops.test')).toMatchObject({ code: 1 })
  const { rows } = await api().pool.query(
    `select action from audit_log where action like 'from_domain.%' order by id`,
  )
  expect(rows).toEqual([{ action: 'from_domain.allowed' }, { action: 'from_domain.disallowed' }])
})

// biome-ignore format: the columns are the point
test.each([
  ['an invalid address',              ['suppression', 'add', 'ada'],                                'email'],
  ['an address not suppressed',       ['suppression', 'lift', 'x@example.test', '--reason', 'y'],   'not suppressed'],
  ['a missing reason',                ['suppression', 'lift', 'x@example.test'],                    'reason'],
  ['an unknown cause',                ['suppression', 'list', '--cause', 'mood'],                   '--cause'],
  ['a missing file',                  ['suppression', 'import', '/nowhere/list.csv'],               '/nowhere/list.csv'],
  ['an invalid domain',               ['domain', 'add', 'localhost'],                               'domain'],
  ['an invalid selector',             ['domain', 'add', 'a.test', '--selector', 'a b'],             '--selector'],
  ['an invalid domain to allow',      ['domain', 'allow', 'localhost'],                             'domain'],
  ['an unknown domain',               ['domain', 'remove', 'nobody.test'],                          'nobody.test'],
])('%s is one sentence', async (_why, args, want) => {
  const { code, stdout, stderr } = await admin(...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(want)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('suppressions are lifted by cause and source, and with --dry-run only counted', async () => {
  await api().pool.query(
    `insert into addresses (id, organization_id, email_key, suppressed_at, suppression_cause, suppression_source)
       select uuidv7(), id, 'bulk' || n || '@example.test', now() - interval '1 hour', 'hard', 'ses'
         from organizations, generate_series(1, 3) n`,
  )
  const lift = ['suppression', 'lift-matching', '--reason', 'by accident', '--source', 'ses']
  expect(await json(...lift, '--dry-run')).toEqual({
    dryRun: true,
    matched: 3,
    lifted: 0,
    remaining: 3,
  })
  expect(await json('suppression', 'list', '--source', 'ses')).toHaveLength(3)
  expect(await json(...lift, '--cause', 'hard')).toMatchObject({ lifted: 3, remaining: 0 })
  expect(await admin('suppression', 'lift-matching', '--reason', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('at least one of cause'),
  })
  expect(await admin(...lift, '--cause', 'complaint')).toMatchObject({ code: 1 })
})
