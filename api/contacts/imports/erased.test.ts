import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { callEmail } from '../../../test/fixtures/email-fixture.ts'
import {
  exportContacts,
  importContacts,
  importDesk,
  storedStates,
  uploadContacts,
} from '../../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()
const csv =
  'email,name\ncomplained@b.co,C\nbounced@b.co,B\nunsubscribed@b.co,U\nsubscribed@b.co,S\n'

test('people erased after opting out or a suppression are skipped, but can sign up themselves', async () => {
  const desk = await importDesk(api())
  const { organizationId, direct } = desk.tenant
  const file =
    'email,status\ncomplained@b.co,complained\nbounced@b.co,bounced\nunsubscribed@b.co,unsubscribed\nsubscribed@b.co,subscribed\n'
  await importContacts(api(), desk, file)
  const { rows } = await api().pool.query('select id from contacts where organization_id = $1', [
    organizationId,
  ])
  for (const { id } of rows) {
    const path = `/api/v1/admin/email/contacts/${id}/erase`
    const erased = await api().call(path, { method: 'POST', login: desk.login })
    expect(erased.status).toBeLessThan(300)
  }
  const addresses = () =>
    api().pool.query<{ email: string | null }>(
      'select email from addresses where organization_id = $1 order by email nulls last',
      [organizationId],
    )
  expect((await addresses()).rows).toEqual([{ email: null }, { email: null }])

  const skippedAll = { created: 1, skipped: 3, refused: 0, updated: 0, suppressed: 0 }
  const tried = await importContacts(api(), desk, csv, { dryRun: 'true' })
  expect(tried).toMatchObject(skippedAll)
  const report = await importContacts(api(), desk, csv)
  expect(report).toMatchObject(skippedAll)
  expect(report.problems).toEqual(
    [2, 3, 4].map((line) => ({ line, field: 'email', rule: expect.stringContaining('erased') })),
  )
  expect((await storedStates(api(), desk)).map(({ email }) => email)).toEqual(['subscribed@b.co'])
  // Their remaining rows have neither address nor name, even if the file contains their opt-out.
  expect(await importContacts(api(), desk, file)).toMatchObject({ skipped: 3 })
  expect((await addresses()).rows).toEqual([
    { email: 'subscribed@b.co' },
    { email: null },
    { email: null },
  ])
  const { rows: kept } = await api().pool.query(
    'select email_hash from erased_opt_outs where organization_id = $1',
    [organizationId],
  )
  // Hashes of the unsubscribed address and of the complaint.
  const hash = { email_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }
  expect(kept).toEqual([hash, hash])

  const signup = { newsletter: direct, email: 'unsubscribed@b.co' }
  const came = await callEmail(api(), desk.tenant, '/contacts', { method: 'POST', body: signup })
  expect([came.status, came.body.status]).toEqual([201, 'subscribed'])
  expect(await importContacts(api(), desk, csv)).toMatchObject({ skipped: 2, unchanged: 2 })
})

test('an import does not subscribe deleted contacts that were unsubscribed, but others', async () => {
  const desk = await importDesk(api())
  await importContacts(api(), desk, 'email,status\nout@b.co,unsubscribed\nin@b.co,subscribed\n')
  const { rows } = await api().pool.query('select id from contacts where organization_id = $1', [
    desk.tenant.organizationId,
  ])
  for (const { id } of rows) {
    const path = `/api/v1/admin/email/contacts/${id}`
    expect((await api().call(path, { method: 'DELETE', login: desk.login })).status).toBe(204)
  }
  const report = await importContacts(api(), desk, 'email\nout@b.co\nin@b.co\n')
  expect(report).toMatchObject({ created: 1, skipped: 1 })
  expect(await storedStates(api(), desk)).toMatchObject([{ email: 'in@b.co' }])
})

test('erasures of one organization do not affect another', async () => {
  const [desk, other] = [await importDesk(api()), await importDesk(api())]
  await importContacts(api(), desk, 'email,status\na@b.co,unsubscribed\n')
  const { rows } = await api().pool.query('select id from contacts where organization_id = $1', [
    desk.tenant.organizationId,
  ])
  const path = `/api/v1/admin/email/contacts/${rows[0].id}/erase`
  await api().call(path, { method: 'POST', login: desk.login })
  expect(await importContacts(api(), other, 'email\na@b.co\n')).toMatchObject({ created: 1 })
})

test('a signup with the erased address of a complaint stores no personal data', async () => {
  const desk = await importDesk(api())
  const { organizationId, direct } = desk.tenant
  await importContacts(api(), desk, 'email,status\ncomplained@b.co,complained\n')
  const contacts = () =>
    api().pool.query(
      'select id, name, attribs, source, signup_ip from contacts where organization_id = $1',
      [organizationId],
    )
  const path = `/api/v1/admin/email/contacts/${(await contacts()).rows[0].id}/erase`
  await api().call(path, { method: 'POST', login: desk.login })
  for (const name of ['Ada', 'Ada again']) {
    const person = { name, attribs: { city: 'London' }, source: 'form', ip: '203.0.113.7' }
    const body = { newsletter: direct, email: 'Complained@b.co', ...person }
    const came = await callEmail(api(), desk.tenant, '/contacts', { method: 'POST', body })
    expect(came.body.status).toBe('complained')
    const left = { name: null, attribs: {}, source: null, signup_ip: null }
    expect((await contacts()).rows).toEqual([{ id: came.body.id, ...left }])
  }
  const { rows: addresses } = await api().pool.query(
    'select email from addresses where organization_id = $1',
    [organizationId],
  )
  expect(addresses).toEqual([{ email: null }])
})

test('an export leaves out erased people, and importing it again changes nothing', async () => {
  const desk = await importDesk(api())
  const { organizationId, direct } = desk.tenant
  const gone = ['complained', 'bounced']
  const file = `email,status\n${gone.map((status) => `${status}@b.co,${status}\n`).join('')}in@b.co,subscribed\nmad@b.co,complained\n`
  await importContacts(api(), desk, file)
  for (const status of gone) {
    const { rows } = await api().pool.query(
      'select c.id from contacts c join addresses a on a.id = c.address_id where c.organization_id = $1 and a.email_key = $2',
      [organizationId, `${status}@b.co`],
    )
    const path = `/api/v1/admin/email/contacts/${rows[0].id}/erase`
    await api().call(path, { method: 'POST', login: desk.login })
    // They sign up again: the contact has neither name nor address, and stays suppressed.
    const body = { newsletter: direct, email: `${status}@b.co` }
    const came = await callEmail(api(), desk.tenant, '/contacts', { method: 'POST', body })
    expect(came.body.status).toBe(status)
  }
  const all = () =>
    api().pool.query(
      `select c.*, a.email, a.email_key, a.suppressed_at, a.suppression_cause
         from contacts c join addresses a on a.id = c.address_id where c.organization_id = $1 order by c.id`,
      [organizationId],
    )
  const before = (await all()).rows
  expect(before.filter(({ email }) => email === null)).toHaveLength(2)

  const exported = await exportContacts(api(), desk)
  expect(exported.trim().split('\r\n')).toHaveLength(3)
  for (const updateExisting of ['false', 'true']) {
    const report = await importContacts(api(), desk, exported, { updateExisting })
    expect(report).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 2,
      refused: 0,
      skipped: 0,
      suppressed: 0,
      problems: [],
      warnings: [],
    })
  }
  expect((await all()).rows).toEqual(before)
  expect(await exportContacts(api(), desk)).toBe(exported)
})

test('an export without any contact that is not erased has no rows', async () => {
  const desk = await importDesk(api())
  const { organizationId, direct } = desk.tenant
  await importContacts(api(), desk, 'email,status\na@b.co,complained\n')
  const { rows } = await api().pool.query('select id from contacts where organization_id = $1', [
    organizationId,
  ])
  const path = `/api/v1/admin/email/contacts/${rows[0].id}/erase`
  await api().call(path, { method: 'POST', login: desk.login })
  const body = { newsletter: direct, email: 'a@b.co' }
  await callEmail(api(), desk.tenant, '/contacts', { method: 'POST', body })
  const exported = await exportContacts(api(), desk)
  expect(exported.trim().split('\r\n')).toHaveLength(1)
  const query = { newsletter: direct }
  expect((await uploadContacts(api(), desk, exported, query)).status).toBe(202)
})
