import { beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin, json } = adminOf(api)

beforeAll(async () => {
  await admin('organization create --name Acme')
  await admin('project create --name Shop --organization Acme')
})

test('a release is created, released and deployed', async () => {
  const created = await json('release create shop@1.0 --url https://shop.test/1 --project Shop')
  expect(created).toMatchObject({ version: 'shop@1.0', date_released: null })
  const released = '2026-11-20T08:15:00.000Z'
  const updated = await json(`release update shop@1.0 --released ${released} --project Shop`)
  expect(updated).toMatchObject({ url: 'https://shop.test/1', date_released: released })
  const line = 'release deploy shop@1.0 --environment production --name blue --project Shop'
  const deploy = await json(line)
  expect(await json('release deploys shop@1.0 --project Shop')).toEqual([deploy])
})

// biome-ignore format: the columns are the point
test.each([
  ['release update shop@1.0',                          'Say what to change'],
  ['release update shop@9 --released now',             'The project has no release shop@9.'],
  ['release deploys shop@9',                           'The project has no release shop@9.'],
  ['release create a --url javascript:alert(1)',       '--url is not valid'],
  ['release create a --released yesterday',            '--released is not valid'],
  ['release deploy a --environment e --started never', '--started is not valid'],
])('%s is one sentence', async (line, sentence) => {
  const { code, stdout, stderr } = await admin(`${line} --project Shop`)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
})
