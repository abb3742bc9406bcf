// cspell:ignore mller
/** After an erasure nothing names the person: every column of every table is searched. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { runDeletion } from '../../workers/removals/run-deletion.ts'
import { adminOf } from '../fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { makeSide, type Side } from '../fixtures/filled-tenant.ts'
import { countAll, finishDeletionOf, portsOf } from './deletion-bench.ts'
import { fillTables } from './fill-tables.ts'
import { searchStores } from './search-stores.ts'

const api = apiOfThisFile()
const { adminIn } = adminOf(api)
let side: Side
let other: Side

/** Every sign of the address means something to LIKE or to a regular expression. */
const person = { email: 'ann.b+%_*$x@xn--mller-kva.test', userId: '7', address: '192.0.2.77' }
const others = { email: 'bob@people.test', userId: '8', address: '198.51.100.9' }
/** The id under which the person is known where the domain of the address is in Unicode. */
const typedId = 'typed-user-4711'
const wanted = [person.email, encodeURIComponent(person.email), person.address, typedId]

function erase(body: object, login = side.login) {
  return api().call('/api/v1/admin/person-data/erase', { method: 'POST', login, body })
}

function look(query: string, who: Side) {
  return api().call(`/api/v1/admin/person-data${query}`, { login: who.login })
}

const query = `?email=${encodeURIComponent(person.email)}&user_id=7&address=192.0.2.77`

async function events(who: Side) {
  const result = await api().clickhouse.query({
    query: `select * from events where project_id = ${who.tenant.project.dsnId} order by event_id`,
    format: 'JSONEachRow',
  })
  return result.json<Record<string, string>>()
}

async function addEvent(user: { id: string; email: string; username: string }): Promise<void> {
  await api().clickhouse.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: [
      {
        project_id: side.tenant.project.dsnId,
        event_id: randomUUID(),
        received_at: Date.now(),
        retention_days: 90,
        user_id: user.id,
        user_email: user.email,
        user_name: user.username,
        payload: JSON.stringify({ user }),
      },
    ],
  })
}

beforeAll(async () => {
  side = await makeSide(api(), 'Erases')
  await fillTables(api(), side, { ...person, mark: 'erases-mark' })
  // The user is the person, although the address is spelled in another way.
  await addEvent({ id: typedId, email: 'Ann.B+%_*$X@Müller.test', username: 'Ann' })
  api().time.nowMs += 3_600_000
  other = await makeSide(api(), 'Other')
  await fillTables(api(), other, { ...others, mark: 'others-mark', neighbour: `jo${others.email}` })
})

describe('a request is refused', () => {
  test.each([
    [{}, 'email'],
    [{ email: '' }, 'email'],
    [{ email: '%' }, 'email'],
    [{ email: '.*@.*' }, 'email'],
    [{ email: 'a\u0000@b.test' }, 'email'],
    [{ user_id: ' ' }, 'user_id'],
    [{ user_id: 'a\u0000' }, 'user_id'],
    [{ email: '_@_' }, 'email'],
    [{ email: '*' }, 'email'],
    [{ email: 'a\ud800@b.test' }, 'email'],
    [{ user_id: '\ud800' }, 'user_id'],
    [{ user_id: '\u00a0\u2028' }, 'user_id'],
    [{ address: '192.0.2' }, 'address'],
    [{ address: '0.0.0.0' }, 'address'],
    [{ address: '::' }, 'address'],
    [{ address: '::/0' }, 'address'],
    [{ address: '' }, 'address'],
    [{ address: 'fe80::1%eth0' }, 'address'],
  ])('%j', async (body, field) => {
    const answer = await erase(body)
    expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field])
  })

  test('for an address that the organization uses itself', async () => {
    expect((await erase({ email: side.login.email })).status).toBe(409)
    expect((await erase({ email: 'news@erases-mark.test' })).status).toBe(409)
  })

  test('for a member', async () => {
    const member = await api().login(side.tenant, 'member')
    expect((await erase({ user_id: '7' }, member)).status).toBe(403)
  })
})

test('a person is found before it is erased', async () => {
  const { body } = await look(query, side)
  expect(body.rows).toMatchObject({ contacts: 1, endusers: 1, votes: 1, 'clickhouse.events': 4 })
  const lines = (await look(query.replace('?', '/export?'), side)).body.trim().split('\n')
  const parsed = lines.map((line: string) => JSON.parse(line))
  expect(parsed[0]).toMatchObject({ type: 'header', version: 1 })
  expect(parsed.at(-1)).toEqual({ type: 'trailer', rows: body.rows })
  const sum = Object.values<number>(body.rows).reduce((total, count) => total + count, 0)
  expect(parsed).toHaveLength(sum + 2)
  expect((await look(query, other)).body.rows).toEqual({})
})

test('an erasure leaves nothing that names the person, and all rows', async () => {
  expect((await searchStores(api(), wanted)).length).toBeGreaterThan(30)
  const before = await countAll(api())
  const othersEvents = await events(other)
  const answer = await erase({
    email: 'Ann.B+%_*$X@Müller.test',
    user_id: '7',
    address: '::ffff:192.0.2.77',
  })
  expect(answer.status).toBe(202)
  await finishDeletionOf(api(), answer.body.id)

  expect(await searchStores(api(), wanted)).toEqual([])
  const after = await countAll(api())
  const fewer = Object.keys(after).filter((name) => after[name]! < before[name]!)
  // What hangs on the contact goes with it. The address was suppressed: its hash stays. Sums of
  // days are made again.
  expect(fewer.sort()).toEqual([
    'clickhouse.session_days',
    'confirm_tokens',
    'contact_events',
    'contacts',
    'new_issue_counts',
    'portal_notices',
    'portal_optouts',
    'sends',
    'tracking_hits',
  ])
  expect(await events(other)).toEqual(othersEvents)
  expect((await look('?email=bob@people.test', other)).body.rows).toMatchObject({ contacts: 1 })

  const { body: receipt } = await api().call(`/api/v1/organization/deletions/${answer.body.id}`, {
    login: side.login,
  })
  expect(receipt).toMatchObject({
    kind: 'person',
    state: 'done',
    rows: { contacts: 1, endusers: 1, 'clickhouse.events': 4, 'clickhouse.sessions': 2 },
  })
  expect(JSON.stringify(receipt)).not.toMatch(/ann\.b|192\.0\.2/i)
  const theirs = await api().call(`/api/v1/organization/deletions/${answer.body.id}`, {
    login: other.login,
  })
  expect(theirs.status).toBe(404)
  expect((await look(query, side)).body).toEqual({
    rows: { addresses: 1, bounce_reports: 1, erased_opt_outs: 1 },
    subject_hash: receipt.subject_hash,
  })
})

test('payloads stay valid, and other users keep theirs', async () => {
  const rows = await events(side)
  const payloads = rows.map((row) => JSON.parse(row['payload']!))
  const users = payloads.map(({ user }) => user).filter((user) => user !== undefined)
  expect(users).toHaveLength(4)
  expect(users).toContainEqual({ id: '70' })
  const erased = { id: '[erased]' }
  expect(users.filter(({ id }) => id === '[erased]')).toEqual([erased, erased, erased])
  const others = rows.find((row) => row['user_id'] === '70')
  expect(others).toMatchObject({ user_email: 'zoe@people.test' })
  const messages = payloads.map(({ message }) => message)
  expect(messages).toContain('line\n[erased]\nline')
  expect(JSON.stringify(payloads)).toContain('?e=[erased]&n=1')
})

test('events that were on their way are erased when they arrive, and counted apart', async () => {
  const late = { email: 'late@people.test', userId: 'late-user-1' }
  const { body } = await erase({ email: late.email, user_id: late.userId })
  let isPassed = false
  const ends = {
    layout: { first: 0, partitions: 1 },
    lastSeq: async () => (isPassed ? 0 : undefined),
  }
  const run = async () => runDeletion(await portsOf(api(), ends), body.id)
  expect(await run()).toBe('waiting')
  await addEvent({ id: late.userId, email: late.email, username: 'Late' })
  expect(await run()).toBe('waiting')
  expect(await searchStores(api(), [late.userId])).toContain('events.user_id')
  isPassed = true
  expect(await run()).toBe('done')
  expect(await searchStores(api(), [late.email, late.userId])).toEqual([])
  const { rows } = await api().pool.query('select counts from deletions where id = $1', [body.id])
  expect(rows[0].counts).toEqual({ 'clickhouse.events (late)': 1 })
})

test('a user id that occurs everywhere changes whole values only', async () => {
  const before = JSON.stringify(await events(other))
  const { body } = await erase({ user_id: 'a' }, other.login)
  await finishDeletionOf(api(), body.id)
  expect(JSON.stringify(await events(other))).toBe(before)
})

test('the command line asks for a confirmation, and shows the receipt', async () => {
  const words = ['person-data', 'erase', '--email', others.email]
  const unconfirmed = await adminIn(other.tenant, ...words)
  expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
    1,
    'This erases the person permanently: add --yes to confirm.\n',
  ])
  const made = await adminIn(other.tenant, ...words, '--yes', '--json')
  expect([made.code, made.stderr]).toEqual([0, ''])
  const { id } = JSON.parse(made.stdout)
  await finishDeletionOf(api(), id)
  const shown = await adminIn(other.tenant, 'deletion', 'show', id, '--json')
  expect(JSON.parse(shown.stdout)).toMatchObject({ id, state: 'done' })
  // The address of another person contains this one.
  expect((await searchStores(api(), [others.email])).sort()).toEqual([
    'events.payload',
    'events.user_email',
  ])
  expect(JSON.stringify(await events(other))).toContain(`mail jo${others.email}`)
})
