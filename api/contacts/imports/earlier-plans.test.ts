import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ImportPlan } from '#schemas/rest/email/contact-import.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { importContacts, importDesk, storedStates } from '../../../test/fixtures/import-fixture.ts'
import { waitUntil } from '../../../test/fixtures/processes/wait-until.ts'

const api = apiOfThisFile()
const migration = new URL(
  '../../../schemas/postgres/0023-imports-keep-opt-outs.sql',
  import.meta.url,
)

test('a dry run that an earlier version planned can be started', async () => {
  const desk = await importDesk(api())
  const csv = 'email,name,status\nin@example.com,In,\nout@example.com,Out,unsubscribed\n'
  const { id } = await importContacts(api(), desk, csv, { dryRun: 'true' })
  // The plan as earlier versions stored it.
  const earlier = { delimiter: ',', email: 0, name: 1, status: 2, attribs: {} }
  const rest = { newStatus: 'subscribed', updateExisting: false, defaultSource: 'old' }
  await api().pool.query('update contact_imports set plan = $2 where id = $1', [
    id,
    JSON.stringify({ ...earlier, ...rest }),
  ])
  const sql = await readFile(migration, 'utf8')
  const [update] = /^update contact_imports[\s\S]+?;$/m.exec(sql)!
  await api().pool.query(update.replace(/;$/, ' where id = $1'), [id])
  const { rows } = await api().pool.query('select plan from contact_imports where id = $1', [id])
  expect(ImportPlan.parse(rows[0].plan)).toEqual(rows[0].plan)

  const path = `/api/v1/admin/email/imports/${id}`
  const started = await api().call(`${path}/start`, { method: 'POST', login: desk.login })
  expect(started.status).toBe(202)
  await waitUntil('the import is over', async () => {
    const { body } = await api().call(path, { method: 'GET', login: desk.login })
    return body.state === 'done'
  })
  expect(await storedStates(api(), desk)).toMatchObject([
    { email: 'in@example.com', status: 'subscribed', name: 'In' },
    { email: 'out@example.com', status: 'unsubscribed' },
  ])
})
