import { describe, expect, test } from 'vitest'
import {
  type Answer,
  apiOfThisFile,
  type Call,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const hash = (digit: string) => digit.repeat(40)
const releases = '/api/0/organizations/acme/releases/'

function call(tenant: Tenant | undefined, path: string, given: Call = {}): Promise<Answer> {
  const headers = tenant === undefined ? {} : { authorization: `Bearer ${tenant.token}` }
  return api().call(path, { ...given, headers: { ...headers, ...given.headers } })
}
const post = (tenant: Tenant, path: string, body: unknown) =>
  call(tenant, path, { method: 'POST', body })
const put = (tenant: Tenant, path: string, body: unknown) =>
  call(tenant, path, { method: 'PUT', body })

test('a project is named by its name, number, id or short name', async () => {
  const tenant = await api().tenant('My Shop')
  const { id, dsnId, shortName } = tenant.project
  for (const name of ['my-shop', 'My-Shop', Number(dsnId), `${dsnId}`, id, shortName]) {
    const version = `app@${name}`
    const { status, body } = await post(tenant, releases, { version, projects: [name] })
    expect([status, body]).toMatchObject([201, { version, projects: [{ id: Number(dsnId) }] }])
  }
})

test('a release of two projects is changed in both', async () => {
  const tenant = await api().tenant('One')
  const { addProject } = await import('../projects/project-store.ts')
  const { organizationId } = tenant
  const two = await addProject(api().pool, { organizationId, name: 'Two' })
  await post(tenant, releases, { version: 'a', projects: ['one', 'two'] })
  await put(tenant, `${releases}a/`, { dateReleased: '2026-11-20T08:15:00.123456789Z' })
  await put(tenant, `${releases}a/`, { commits: [{ id: hash('a'), author_name: null, extra: 1 }] })
  const deploy = await post(tenant, `${releases}a/deploys/`, { environment: 'production' })
  expect([deploy.status, deploy.body]).toMatchObject([201, { environment: 'production' }])
  for (const project of [tenant.project, two]) {
    const own = { ...tenant, project }
    expect((await api().of(own, '/releases/a')).body).toMatchObject({
      date_released: '2026-11-20T08:15:00.123Z',
      commits: [hash('a')],
      deploys: [{ environment: 'production' }],
    })
  }
  const { body } = await call(tenant, `${releases}a/`)
  expect(body).toMatchObject({ version: 'a', commitCount: 1, lastCommit: { id: hash('a') } })
})

test('a list of releases says how many issues are new in each', async () => {
  const tenant = await api().tenant('New')
  for (const version of ['a', 'b']) await post(tenant, releases, { version, projects: ['new'] })
  for (const release of ['a', 'a', 'c']) await api().addIssue(tenant, { release })
  const { body } = await call(tenant, '/api/0/projects/acme/new/releases/')
  const counts = body.map((row: { version: string; newGroups: number }) => [
    row.version,
    row.newGroups,
  ])
  expect(counts.sort()).toEqual([
    ['a', 2],
    ['b', 0],
  ])
})

test('longer texts than ours are cut, so that the deployment goes on', async () => {
  const tenant = await api().tenant('Long')
  await post(tenant, releases, { version: 'a', projects: ['long'] })
  const commits = Array.from({ length: 1_200 }, (_, index) => ({
    id: String(index).padStart(40, '0'),
    message: 'm'.repeat(3_000),
    timestamp: 'yesterday',
    patch_set: Array.from({ length: 600 }, (__, no) => ({ path: `f${no}`, type: 'X' })).slice(
      0,
      index === 0 ? 600 : 30,
    ),
  }))
  expect((await put(tenant, `${releases}a/`, { commits })).status).toBe(200)
  const { body } = await api().of(tenant, '/releases/a')
  expect([body.commits.length, body.commit_details[0]]).toMatchObject([
    1_000,
    { file_count: 500, timestamp: null },
  ])
})

describe('what is refused says why', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['an unknown project',  'POST',   releases,               { version: 'a', projects: ['nope'] }, 400, /`projects`: must be projects of this organization, such as refused/],
    ['no project',          'POST',   releases,               { version: 'a' },                     400, /must name at least one project/],
    ['no version',          'POST',   releases,               { projects: ['refused'] },            400, /`version`/],
    ['a script as URL',     'POST',   releases,               { version: 'a', projects: ['refused'], url: 'javascript:1' }, 400, /`url`/],
    ['references',          'PUT',    `${releases}known/`,    { refs: [{ commit: 'a' }] },          400, /set-commits --local/],
    ['archiving',           'POST',   releases,               { version: 'a', projects: ['refused'], status: 'archived' }, 400, /not archived/],
    ['a short hash',        'PUT',    `${releases}known/`,    { commits: [{ id: 'abc' }] },         400, /full hash/],
    ['an unknown release',  'GET',    `${releases}other/`,    undefined,                            404, /./],
    ['a deploy without it', 'POST',   `${releases}other/deploys/`, { environment: 'e' },            404, /./],
    ['deleting',            'DELETE', `${releases}known/`,    undefined,                            405, /not deleted by hand/],
    ['an upload',           'GET',    '/api/0/organizations/acme/chunk-upload/', undefined,          404, /no source maps/],
    ['another route',       'GET',    '/api/0/users/me/',     undefined,                            404, /no such route/],
    ['a strange project',   'GET',    '/api/0/projects/acme/nope/releases/', undefined,             404, /./],
  ] as const)('%s', async (_name, method, path, body, status, detail) => {
    const tenant = await api().tenant('Refused')
    await post(tenant, releases, { version: 'known', projects: ['refused'] })
    const answer = await call(tenant, path, { method, ...(body === undefined ? {} : { body }) })
    expect(answer.status).toBe(status)
    expect(Object.keys(answer.body)).toEqual(['detail'])
    expect(answer.body.detail).toMatch(detail)
  })

  test('no token, a wrong token, and a token without the scope', async () => {
    const tenant = await api().tenant('Scopes', ['issues:read'])
    expect((await call(undefined, '/api/0/')).status).toBe(401)
    expect((await call({ ...tenant, token: 'sntrys_x' }, '/api/0/')).status).toBe(401)
    const body = { version: 'a', projects: ['scopes'] }
    const answer = await post(tenant, releases, body)
    expect([answer.status, answer.body.detail]).toMatchObject([403, /issues:write/])
    expect((await call(tenant, '/api/0/')).body.auth.scopes).toEqual(['issues:read'])
  })

  test('the releases of another organization do not exist', async () => {
    const [tenant, stranger] = [await api().tenant('Mine'), await api().tenant('Theirs')]
    await post(stranger, releases, { version: 'secret@1', projects: ['theirs'] })
    await post(stranger, `${releases}secret@1/deploys/`, { environment: 'e' })
    for (const path of ['', 'commits/', 'deploys/', 'previous-with-commits/']) {
      expect((await call(tenant, `${releases}secret@1/${path}`)).status).toBe(404)
    }
    for (const name of ['theirs', stranger.project.id, stranger.project.dsnId]) {
      expect((await call(tenant, `/api/0/projects/acme/${name}/releases/`)).status).toBe(404)
      const body = { version: 'b', projects: [name] }
      const answer = await post(tenant, releases, body)
      expect([answer.status, answer.body.detail]).toMatchObject([
        400,
        /such as mine$|such as mine\.$/,
      ])
    }
    await put(tenant, `${releases}secret@1/`, { url: 'https://x.test', projects: ['mine'] })
    const { body } = await call(stranger, `${releases}secret@1/`)
    expect([body.url, body.projects.length]).toEqual([null, 1])
  })
})
