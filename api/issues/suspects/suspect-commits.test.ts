import { expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const hash = (digit: string) => digit.repeat(40)
const payload = JSON.stringify({
  exception: {
    values: [
      {
        type: 'TypeError',
        stacktrace: {
          frames: [
            { filename: 'src/server.ts', abs_path: '/app/src/server.ts', in_app: true, lineno: 4 },
            { filename: 'node_modules/x/src/cart.js', in_app: false },
            { filename: 'src/cart.ts', function: 'addToCart', in_app: true, lineno: 12 },
          ],
        },
      },
    ],
  },
})

const commits = (tenant: Tenant, version: string, list: readonly [string, ...string[]][]) =>
  api().of(tenant, `/releases/${encodeURIComponent(version)}/commits`, {
    method: 'PUT',
    body: {
      commits: list.map(([id, ...paths]) => ({
        id: hash(id),
        message: `Commit ${id}`,
        author_email: 'ada@example.test',
        patch_set: paths.map((path) => ({ path })),
      })),
    },
  })

async function issueIn(tenant: Tenant, release: string): Promise<string> {
  await api().addEvents(tenant, [
    { id: `${release}1`, hash: release, release, receivedAt: at(-60), payload },
    { id: `${release}2`, hash: release, release, receivedAt: at(-5), payload: '{}' },
  ])
  return api().addIssue(tenant, { hashes: [release], release })
}

const suspectsOf = async (tenant: Tenant, id: string) =>
  (await api().of(tenant, `/issues/${id}`)).body.suspect_commits

test('commits since the last good release that changed a file of the stack are suspects', async () => {
  const tenant = await api().tenant('Suspects')
  await api().addRelease(tenant, { version: 'shop@1.0', first: -900, last: -800 })
  await commits(tenant, 'shop@1.0', [['1', 'packages/shop/src/cart.ts']])
  await commits(tenant, 'shop@1.1', [['2', 'src/cart.ts', 'docs/a.md']])
  await api().addRelease(tenant, { version: 'shop@1.2', first: -90, last: -1 })
  await commits(tenant, 'shop@1.2', [
    ['3', 'README.md'],
    ['4', 'src/server.ts'],
    ['5', 'packages/shop/src/cart.ts', 'src/server.ts'],
  ])
  await commits(tenant, 'shop@1.3', [['6', 'src/cart.ts']])
  const id = await issueIn(tenant, 'shop@1.2')
  const suspects = await suspectsOf(tenant, id)
  const seen = suspects.map((one: { id: string; release: string; path: string }) => [
    one.id[0],
    one.release,
    one.path,
  ])
  expect(seen).toEqual([
    ['5', 'shop@1.2', 'packages/shop/src/cart.ts'],
    ['2', 'shop@1.1', 'src/cart.ts'],
    ['4', 'shop@1.2', 'src/server.ts'],
  ])
  expect(suspects[0]).toMatchObject({
    subject: 'Commit 5',
    author_email: 'ada@example.test',
    person: null,
    frame: { filename: 'src/cart.ts', function: 'addToCart', line: 12 },
  })
})

test('without files, without a release and in another project there are none', async () => {
  const [tenant, other] = [await api().tenant('None'), await api().tenant('Other')]
  await api().addRelease(tenant, { version: 'shop@1', first: -90, last: -1 })
  await api().addRelease(other, { version: 'shop@1', first: -90, last: -1 })
  const id = await issueIn(tenant, 'shop@1')
  expect(await suspectsOf(tenant, id)).toEqual([])
  await commits(other, 'shop@1', [['1', 'src/cart.ts']])
  await commits(tenant, 'shop@1', [['2']])
  expect(await suspectsOf(tenant, id)).toEqual([])
  const without = await api().addIssue(tenant, {})
  expect(await suspectsOf(tenant, without)).toEqual([])
})
