/** What no `sentry-cli` sends: each request is answered or refused, and what is stored is clean. */
import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const releases = '/api/0/organizations/acme/releases/'
const hash = (digit: string) => digit.repeat(40)
let tenant: Tenant

beforeEach(async () => {
  tenant = await api().tenant('Hostile')
  await send('POST', releases, { version: 'shop@1', projects: ['hostile'] })
})

function send(method: 'POST' | 'PUT', path: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${tenant.token}` }
  return api().call(path, { method, body, headers })
}
const commit = (...commits: readonly object[]) => send('PUT', `${releases}shop@1/`, { commits })
const stored = async () => (await api().of(tenant, '/releases/shop@1')).body

const refused = ['a\0b', '\ud800', 'x\udc00']
const texts = ['\u202eabc', '\u001b[31m', '', ' ', `a${'😀'.repeat(1_001)}`, '\u200b']

describe('commits', () => {
  test.each(texts)('with %j in every text', async (text) => {
    const { status } = await commit({
      id: hash('a'),
      message: text,
      author_name: text,
      author_email: text,
      repository: text,
      timestamp: text,
      patch_set: [{ path: text }, { path: 'src/a.ts' }],
    })
    expect(status).toBe(200)
    const { commits, commit_details: details } = await stored()
    expect(commits).toEqual([hash('a')])
    const shown = JSON.stringify(details)
    expect(shown).not.toMatch(/\\u00|\\ud[89a-f]|\ufffd/i)
    expect(details[0].file_count).toBeGreaterThan(0)
  })

  test.each(refused)('with %j in a text are refused with a reason', async (text) => {
    for (const one of [{ message: text }, { author_name: text }, { patch_set: [{ path: text }] }]) {
      const { status, body } = await commit({ id: hash('a'), ...one })
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/NUL|surrogate/)])
    }
    expect((await stored()).commits).toEqual([])
  })

  test('that are named twice are one, in any case', async () => {
    const { status } = await commit(
      { id: hash('a'), message: 'first', patch_set: [{ path: 'a' }, { path: 'a' }] },
      { id: hash('A'), message: 'second', patch_set: [{ path: 'b' }] },
      ...Array.from({ length: 50 }, () => ({ id: hash('b') })),
    )
    expect(status).toBe(200)
    const { commits, commit_details: details } = await stored()
    expect([...commits].sort()).toEqual([hash('a'), hash('b')])
    expect(details).toHaveLength(2)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no hash',               { id: 'main' }],
    ['a short hash',          { id: 'abcdef1' }],
    ['a number',              { id: 1 }],
    ['a message of a number', { id: hash('a'), message: 5 }],
    ['files that are a text', { id: hash('a'), patch_set: 'a' }],
    ['a file without a path', { id: hash('a'), patch_set: [{}] }],
    ['a path of a number',    { id: hash('a'), patch_set: [{ path: 1 }] }],
  ])('with %s are refused, and nothing is stored', async (_name, given) => {
    const { status, body } = await commit({ id: hash('b') }, given)
    expect([status, body.detail]).toEqual([400, expect.stringContaining('commits')])
    expect((await stored()).commits).toEqual([])
  })

  test.each([
    '9999-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '2026-02-30T00:00:00Z',
  ])('at %s', async (timestamp) => {
    expect((await commit({ id: hash('a'), timestamp })).status).toBe(200)
    expect((await stored()).commits).toEqual([hash('a')])
  })

  test('by the ten thousand are cut, and by the hundred thousand refused', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: index.toString(16).padStart(40, '0') }))
    expect((await commit(...many(10_000))).status).toBe(200)
    expect((await stored()).commit_count).toBe(1_000)
    expect((await commit(...many(10_001))).status).toBe(400)
  })
})

describe('a release', () => {
  test.each([...refused, ...texts, '..', 'a/b', 'a\nb', 'x'.repeat(251), '%00', '__proto__'])(
    'named %j is created as it is, or refused',
    async (version) => {
      const created = await send('POST', releases, { version, projects: ['hostile'] })
      expect([201, 400]).toContain(created.status)
      const path = `${releases}${encodeURIComponent(version.toWellFormed())}/`
      const changed = await send('PUT', path, { projects: ['hostile'] })
      expect([200, 400, 404]).toContain(changed.status)
      const deployed = await send('POST', `${path}deploys/`, {
        environment: version,
        name: version,
      })
      expect([201, 400, 404]).toContain(deployed.status)
    },
  )

  test.each([
    ['0000-01-01T00:00:00Z', 400],
    ['9999-12-31T23:59:59Z', 400],
    ['2026-11-20T00:00:00.5+02:00', 200],
    ['2026-02-30T00:00:00Z', 400],
    ['infinity', 400],
    ['+275760-09-13T00:00:00Z', 400],
    [-1, 400],
    [{}, 400],
  ])('of the date %j', async (dateReleased, want) => {
    expect((await send('PUT', `${releases}shop@1/`, { dateReleased })).status).toBe(want)
    const dates = {
      environment: 'production',
      dateStarted: dateReleased,
      dateFinished: dateReleased,
    }
    const { status } = await send('POST', `${releases}shop@1/deploys/`, dates)
    expect(status).toBe(want === 200 ? 201 : want)
  })

  test.each([['a\0b'], [-1], [1e15 + 1], [1.5], [''], [{}], [null], ['__proto__'], ['\ud800']])(
    'of the project %j is refused',
    async (project) => {
      const { status } = await send('POST', releases, { version: 'x', projects: [project] })
      expect([400, 404]).toContain(status)
    },
  )

  test('that ends before it starts is refused or stored, and never an error of the server', async () => {
    const { status } = await send('POST', `${releases}shop@1/deploys/`, {
      environment: 'production',
      dateStarted: '2026-11-21T00:00:00Z',
      dateFinished: '2026-11-20T00:00:00Z',
    })
    expect([201, 400]).toContain(status)
  })
})
