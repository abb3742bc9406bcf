import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  apiOfThisFile,
  type Call,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Inbox')
  owner = await api().login(tenant)
})
beforeEach(() => {
  api().time.nowMs += 60_000
})

const admin = (path: string, call: Call = {}) =>
  api().call(`/api/v1/admin/feedback/${tenant.project.id}${path}`, { login: owner, ...call })

async function said(message: string, fields: object = {}): Promise<string> {
  api().time.nowMs += 1_000
  const { body } = await admin('', { method: 'POST', body: { message, ...fields } })
  return body.id
}

async function inbox(query: string): Promise<string[]> {
  const { status, body } = await admin(`/inbox?${query}`)
  expect([query, status]).toEqual([query, 200])
  return body.items.map(({ message }: { message: string }) => message)
}

describe('the inbox', () => {
  test('pages without gaps, also while new feedback arrives', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) await said(name)
    const first = (await admin('/inbox?limit=2')).body
    await said('six')
    const second = (await admin(`/inbox?limit=2&cursor=${first.next_cursor}`)).body
    const third = (await admin(`/inbox?limit=2&cursor=${second.next_cursor}`)).body
    const messages = [first, second, third].flatMap(({ items }) =>
      items.map(({ message }: { message: string }) => message),
    )
    expect(messages).toEqual(['five', 'four', 'three', 'two', 'one'])
    expect(third.next_cursor).toBeNull()
    expect(first.items[0]).not.toHaveProperty('cursor_time')
  })

  test('filters by several statuses, type, person, release and search', async () => {
    const ada = { person_email: 'Ada@Example.test', version: 'shop@9', type: 'Bug' }
    await said('cart is empty', { ...ada, status: 'New' })
    await said('cart is slow', { ...ada, status: 'Hold' })
    await said('cart is fine', { ...ada, status: 'Closed' })
    await said('cart of Ben', { person_email: 'ben@example.test', version: 'shop@9' })
    const person = 'person=ada%40example.TEST'
    expect(await inbox(person)).toEqual(['cart is fine', 'cart is slow', 'cart is empty'])
    expect(await inbox(`${person}&status=New,Hold`)).toEqual(['cart is slow', 'cart is empty'])
    expect(await inbox(`${person}&status=Closed&type=Bug`)).toEqual(['cart is fine'])
    expect(await inbox(`${person}&type=Praise`)).toEqual([])
    expect(await inbox('version=shop%409&search=ben')).toEqual(['cart of Ben'])
    expect(await inbox('person=%25')).toEqual([])
  })

  test('archived feedback has a list of its own', async () => {
    const id = await said('put away', { version: 'old' })
    await admin(`/${id}`, { method: 'PATCH', body: { archived: true } })
    expect(await inbox('version=old')).toEqual([])
    expect(await inbox('version=old&archived=true')).toEqual(['put away'])
  })

  test.each([
    'status=',
    'status=New,',
    'status=Gone',
    'status=new',
    'issue_id=x',
    'person=',
    'limit=101',
    `version=${'v'.repeat(300)}`,
    'cursor=x',
    'cursor=WyI5OTk5OTktMDEtMDFUMDA6MDA6MDBaIiwieCJd',
  ])('refuses %s', async (query) => {
    expect((await admin(`/inbox?${query}`)).status).toBe(400)
  })

  test('another organization finds nothing', async () => {
    const stranger = await api().login(await api().tenant('Stranger'))
    expect((await admin('/inbox', { login: stranger })).status).toBe(404)
  })
})
