/** The pattern of a person means the same to Postgres and to ClickHouse as to JavaScript. */
import { afterAll, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { type EventColumn, personEventSql } from '#platform/person-data/person-event-sql.ts'
import { patternSql } from '#platform/person-data/searched-columns-store.ts'
import type { Pool } from '#platform/postgres.ts'
import { erasedText, eraseInText, personPatterns } from '#platform/text/person-pattern.ts'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { mutate } from './clickhouse-mutation-store.ts'

let pg: Pool
let clickhouse: ClickHouseClient
usePostgres((fixture) => {
  pg = fixture.pg
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
afterAll(async () => {
  await clickhouse?.close()
})

async function inPostgres(email: string, json: string): Promise<string> {
  const sql = patternSql(personPatterns({ email }), erasedText)
  // The replacement of a json column, which Postgres refuses if it is not valid.
  const column = sql.erased({ name: `$${sql.values.length + 1}`, type: 'json' })
  const { rows } = await pg.query<{ erased: string }>(
    `select (${column})::text as erased where ${sql.named}`,
    [...sql.values, json],
  )
  return rows[0]!.erased
}

// cspell:ignore unhex mller
const literal = (text: string) => `unhex('${Buffer.from(text).toString('hex')}')`

async function inClickHouse(email: string, json: string): Promise<string> {
  let sql = literal(json)
  for (const { json: pattern } of personPatterns({ email })) {
    for (const _ of [1, 2]) {
      sql = `replaceRegexpAll(${sql}, ${literal(`(?i)${pattern}`)}, '\\\\1${erasedText}\\\\2')`
    }
  }
  const result = await clickhouse.query({
    query: `select ${sql} as erased`,
    format: 'JSONEachRow',
  })
  return (await result.json<{ erased: string }>())[0]!.erased
}

test.each([
  ['bob@example.com', 'bob@example.com'],
  ['bob@example.com', '\\bob@example.com \\\\bob@example.com'],
  ['bob@example.com', '\bob@example.com'],
  ['bob@example.com', '\\\bob@example.com'],
  ['bob@example.com', 'x\\\\\\\bob@example.com, bob@example.com.'],
  ['nan@example.com', '\\\nan@example.com\nnan@example.com'],
  ['+a%_*@example.com', '+a%_*@example.com \\\u0001+a%_*@example.com'],
])('%s in %j', async (email, value) => {
  const json = JSON.stringify({ value })
  const wanted = eraseInText(json, personPatterns({ email }), 'json')
  JSON.parse(wanted)
  expect(await inPostgres(email, json)).toBe(wanted)
  expect(await inClickHouse(email, json)).toBe(wanted)
})

describe('The longest address, all of signs,', () => {
  const labels = Array.from({ length: 13 }, () => 'xn--mller-kva')
  const email = `${"!#$%&'*+/=?^_`{|}~-".repeat(4).slice(0, 64)}@${labels.join('.')}.test`

  test('is a pattern that both accept, also after many backslashes', async () => {
    expect(parseEmailAddress(email)).toMatchObject({ kind: 'address', key: email })
    const json = JSON.stringify({ value: `${'\\'.repeat(20_000)} <${email}>` })
    expect(await inPostgres(email, json)).toContain('<[erased]>')
    expect(await inClickHouse(email, json)).toContain('<[erased]>')
  })

  test('is erased from events by one statement', async () => {
    const { signal } = new AbortController()
    const result = await clickhouse.query({
      query: `select name, type from system.columns where database = currentDatabase() and table = 'events'`,
      format: 'JSONEachRow',
    })
    const columns = await result.json<EventColumn>()
    const { found, changes } = personEventSql({ email, address: '2001:db8::1' }, columns)
    const change = `update ${changes.join(', ')} where project_id = 0 and ${found}`
    // More than ClickHouse parses unless it is told to.
    expect(change.length).toBeGreaterThan(262_144)
    await mutate({ clickhouse, clock: systemClock, sleep: pause, signal }, 'events', change)
  })
})
