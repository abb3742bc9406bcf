/**
 * The names of a stack stand in the first row of an hour. A person whose event has that row is
 * erased: the other events of the stack are still found by their frames, and what names the person
 * in a list of texts is gone, too.
 */
import { beforeAll, expect, test } from 'vitest'
import { digestRange } from '../../workers/digest/digest-range.ts'
import { insertRows } from '../../workers/rows/row-store.ts'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { makeSide, type Side } from '../fixtures/filled-tenant.ts'
import { eventFrame } from '../fixtures/workers/event-frame.ts'
import { hashOf } from '../fixtures/workers/range-output.ts'
import { finishDeletionOf } from './deletion-bench.ts'
import { searchStores } from './search-stores.ts'

const api = apiOfThisFile()
const person = { id: '4711', email: 'ann@stacks.test', ip_address: '192.0.2.77' }
let side: Side

beforeAll(async () => {
  side = await makeSide(api(), 'Stacks')
})

/** One error of one stack; a path and a value name the user, as those of desktop programs do. */
function payloadOf(user: typeof person | { id: string; email: string }): string {
  const frames = [
    { function: 'main', filename: 'app.js', in_app: true },
    { function: `pay(${user.email})`, filename: `/home/${user.email}/pay.js`, in_app: true },
  ]
  const value = `no money of ${user.email}`
  const exception = { values: [{ type: 'PayError', value, stacktrace: { frames } }] }
  return JSON.stringify({ platform: 'node', user, exception, fingerprint: ['one'] })
}

const nameOf = new Map(['first', 'second', 'third'].map((name) => [hashOf(name), name]))

async function search(query: string): Promise<string[]> {
  const path = `/events?query=${encodeURIComponent(query)}`
  const { status, body } = await api().of(side.tenant, path)
  expect([query, status]).toEqual([query, 200])
  return body.items.map(({ id }: { id: string }) => nameOf.get(id) ?? id).sort()
}

async function addRange(): Promise<void> {
  const projectId = side.tenant.project.dsnId
  const receivedAtMs = api().time.nowMs - 60_000
  // The stack of others is that of the person but for their names.
  const shared = JSON.parse(payloadOf(person))
  const others = { ...shared, user: { id: '8' } }
  const events = [
    { name: 'first', payload: JSON.stringify(shared) },
    { name: 'second', payload: JSON.stringify(others) },
    { name: 'third', payload: payloadOf({ id: '9', email: 'bob@stacks.test' }) },
  ].map((event) => ({ ...event, projectId, receivedAtMs }))
  const bytes = eventFrame({ instanceId: `${'0'.repeat(31)}1`, partition: 0, counter: 1 }, events)
  const output = digestRange({
    partition: 0,
    generation: 1,
    retentionDays: 90,
    frames: [{ streamSeq: 1, bytes }],
  })
  expect(output.eventCount).toBe(3)
  await insertRows(api().clickhouse, { table: 'events', rows: output.eventRows, token: 'stacks' })
}

test('all events of a stack are found after the person of the first one was erased', async () => {
  await addRange()
  const all = ['first', 'second', 'third']
  expect(await search('stack.function:main')).toEqual(all)
  expect(await search('stack.filename:*ann@stacks.test*')).toEqual(['first', 'second'])
  expect((await searchStores(api(), [person.email])).sort()).toEqual([
    'events.error_values',
    'events.payload',
    'events.stack_abs_paths',
    'events.stack_filenames',
    'events.stack_functions',
    'events.title',
    'events.user_email',
  ])

  const { body } = await api().call('/api/v1/admin/person-data/erase', {
    method: 'POST',
    login: side.login,
    body: { email: person.email, user_id: person.id, address: person.ip_address },
  })
  await finishDeletionOf(api(), body.id)

  expect(await searchStores(api(), [person.email, person.ip_address, person.id])).toEqual([])
  for (const query of ['stack.function:main', 'stack.filename:app.js', 'stack.in_app:true']) {
    expect(await search(query)).toEqual(all)
    const since = new Date(api().time.nowMs - 120_000).toISOString()
    const { body: recent } = await api().of(
      side.tenant,
      `/events?since=${since}&query=${encodeURIComponent(query)}`,
    )
    expect(recent.items).toHaveLength(3)
  }
  // What took the place of the name is the same in each row.
  expect(await search('stack.filename:"/home/[erased]/pay.js"')).toEqual(['first', 'second'])
  expect(await search('error.value:"no money of [erased]"')).toEqual(['first', 'second'])
  expect(await search('stack.filename:*bob@stacks.test*')).toEqual(['third'])
})
