import { describe, expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const hash = (digit: string) => digit.repeat(40)

const put = (tenant: Tenant, version: string, body: unknown) =>
  api().of(tenant, `/releases/${encodeURIComponent(version)}/commits`, { method: 'PUT', body })

describe('PUT releases/{release}/commits', () => {
  test('replaces the commits of a release, also of one without events', async () => {
    const tenant = await api().tenant('Commits')
    await api().addRelease(tenant, { version: 'app@1.0.0', first: -90, last: -80 })
    const known = await put(tenant, 'app@1.0.0', { commits: [hash('A'), hash('a'), hash('b')] })
    const body = { version: 'app@1.0.0', commits: [hash('a'), hash('b')] }
    expect([known.status, known.body]).toEqual([200, body])
    await put(tenant, 'feature/x 1.1', { commits: [hash('c')] })
    await put(tenant, 'feature/x 1.1', { commits: [] })
    const { rows } = await api().pool.query(
      'select version, commits from releases where project_id = $1 order by version',
      [tenant.project.dsnId],
    )
    expect(rows).toEqual([body, { version: 'feature/x 1.1', commits: [] }])
    const listed = await api().of(tenant, '/releases')
    expect(listed.body.items).toMatchObject([
      { version: 'feature/x 1.1', first_event: null, last_event: null, event_count: 0 },
      { version: 'app@1.0.0', first_event: at(-90) },
    ])
  })

  test('a release without events is not the newest one that an issue is resolved in', async () => {
    const tenant = await api().tenant('Newest')
    await api().addRelease(tenant, { version: 'app@1.0.0', first: -90, last: -80 })
    await put(tenant, 'app@2.0.0', { commits: [hash('a')] })
    const id = await api().addIssue(tenant, {})
    const { body } = await api().of(tenant, `/issues/${id}`, {
      method: 'PATCH',
      body: { status: 'resolved' },
    })
    expect(body.resolution.release).toBe('app@1.0.0')
  })

  test('commits have an author, a message and files, and a person of the organization', async () => {
    const tenant = await api().tenant('Details')
    const login = await api().login(tenant, 'member')
    const commit = {
      id: hash('a'),
      message: '\n\nRead the cart once\n\nIt was read twice.',
      author_name: 'Ada',
      author_email: login.email.toUpperCase(),
      repository: 'acme/shop',
      timestamp: '2026-11-20T08:15:00+01:00',
      patch_set: [{ path: 'src/cart.ts', type: 'M' }, { path: 'src/cart.ts' }, { path: 'b.ts' }],
    }
    const stranger = { id: hash('b'), author_email: 'eve@example.test' }
    const sent = await put(tenant, 'a', { commits: [commit, stranger, hash('c')] })
    expect(sent.body.commits).toEqual([hash('a'), hash('b'), hash('c')])
    const details = async () => (await api().of(tenant, '/releases/a')).body.commit_details
    const known = {
      id: hash('a'),
      subject: 'Read the cart once',
      author_name: 'Ada',
      author_email: commit.author_email,
      person: { id: login.personId, name: 'member', email: login.email },
      repository: 'acme/shop',
      timestamp: '2026-11-20T07:15:00.000Z',
      file_count: 2,
    }
    expect(await details()).toEqual([
      known,
      expect.objectContaining({ id: hash('b'), person: null }),
    ])
    // The short form names them again and forgets the others.
    await put(tenant, 'a', { commits: [hash('c'), hash('a')] })
    expect(await details()).toEqual([known])
    expect((await api().of(tenant, '/releases/a')).body.commits).toEqual([hash('c'), hash('a')])
  })

  test('a thousand hashes fit', async () => {
    const tenant = await api().tenant('Many')
    const commits = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(64, '0'))
    expect((await put(tenant, 'a', { commits })).body.commits).toHaveLength(1_000)
    const more = await put(tenant, 'a', { commits: [...commits, hash('a')] })
    expect([more.status, more.body.details[0].field]).toEqual([400, 'commits'])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a short hash',         'a',             { commits: ['abcdef1'] },       'commits.0'],
    ['a word',               'a',             { commits: ['g'.repeat(40)] },  'commits.0'],
    ['an object without id', 'a',             { commits: [{ message: 'x' }] }, 'commits.0'],
    ['a wrong time',         'a',             { commits: [{ id: hash('a'), timestamp: 'x' }] }, 'commits.0.timestamp'],
    ['many files',           'a',             { commits: [{ id: hash('a'), patch_set: Array(501).fill({ path: 'a' }) }] }, 'commits.0'],
    ['null',                 'a',             { commits: null },              'commits'],
    ['no commits',           'a',             {},                             'commits'],
    ['another field',        'a',             { commits: [], refs: [] },      'refs'],
    ['a control character',  'a\nb',          { commits: [] },                'release'],
    ['NUL',                  'a\u0000',       { commits: [] },                'release'],
    ['a long version',       'v'.repeat(251), { commits: [] },                'release'],
  ] as const)('%s is refused and named', async (_name, version, body, field) => {
    const tenant = await api().tenant('Refused')
    const { status, body: answer } = await put(tenant, version, body)
    expect([status, answer.details?.[0].field]).toEqual([400, field])
  })
})
