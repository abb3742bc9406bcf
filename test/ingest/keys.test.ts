import { expect, test } from 'vitest'
import type { PublicKey } from '#schemas/ids.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

/**
 * Ingest is notified of a change in Postgres, usually within two seconds. Its cache expires after
 * a minute.
 */
const body = '{}\n{"type":"event"}\n{"message":"a"}'

test('a disabled key is refused before caches expire, and accepted again once enabled', async () => {
  const project = await product().project('key')
  expect(await project.send({ body })).toMatchObject({ status: 200 })

  await product().adminJsonOfDemo('key', 'disable', project.publicKey)
  await answers(project, 403)
  await product().adminJsonOfDemo('key', 'enable', project.publicKey)
  await answers(project, 200)
})

test('a key that was used before it existed works as soon as it is created', async () => {
  const project = await product().project('key to come')
  const publicKey = '0123456789abcdef'.repeat(2) as PublicKey
  const path = `/api/${project.dsnId}/envelope/?sentry_key=${publicKey}`
  for (const _asked of [1, 2]) {
    expect(await project.send({ path, body })).toMatchObject({ status: 403 })
  }
  await product().postgres.query(
    'insert into dsn_keys (id, project_id, public_key) values (gen_random_uuid(), $1, $2)',
    [project.id, publicKey],
  )
  await answers(project, 200, path)
})

test('a key created on the command line works at once', async () => {
  const project = await product().project('new key')
  const { dsn, label } = await product().adminJsonOfDemo<{ dsn: string; label: string }>(
    ...['key', 'create', '--project', project.id, '--label', 'cli'],
  )
  expect(label).toBe('cli')
  const path = `/api/${project.dsnId}/envelope/?sentry_key=${new URL(dsn).username}`
  expect(await project.send({ path, body })).toMatchObject({ status: 200 })
  await project.hasEvents(1)
  expect((await project.onlyEvent()).component).toBe('cli')
})

test('a deleted key is refused', async () => {
  const project = await product().project('deleted key')
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await product().postgres.query('delete from dsn_keys where public_key = $1', [project.publicKey])
  await answers(project, 403)
})

// biome-ignore format: the columns are the point
test.each([
  ['an unknown key',  ['key', 'disable', 'f'.repeat(32)],        /No DSN key is called f+/],
  ['an unknown project',     ['key', 'create', '--label', 'x', '--project', '999999'], /No project is called 999999/],
  ['no label',               ['key', 'create'],                         /--label/],
  ['an unknown command',     ['key', 'lose'],                           /Unknown command 'lose'/],
])('the command line explains the error and exits with 1: %s', async (_name, args, sentence) => {
  const organization = ['--organization', await product().organizationId()]
  const end = await product().admin(...args, ...organization)
  expect(end).toMatchObject({ code: 1, stdout: '' })
  expect(end.stderr).toMatch(sentence)
})

test.each([[[]], [['key']], [['key', 'create']]])('every level has help: %j', async (args) => {
  const end = await product().admin(...args, '--help')
  expect(end).toMatchObject({ code: 0, stderr: '' })
  expect(end.stdout).toMatch(/^Usage: /)
})

function answers(project: TestProject, status: number, path = project.path()): Promise<boolean> {
  const asked = async () => (await project.send({ path, body })).status === status
  return waitUntil(`the key to be answered ${status}`, asked)
}
