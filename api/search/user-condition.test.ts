/** What is asked of the columns finds the same events as the identity that is made of them. */
import { beforeAll, expect, test } from 'vitest'
import { parseSearch, termsIn } from '#schemas/search/search-query.ts'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { userIdentity } from '../issues/sums/issue-sums.ts'
import { matches } from './text-match.ts'
import { userCondition } from './user-condition.ts'

const api = apiOfThisFile()
let tenant: Tenant
beforeAll(async () => {
  tenant = await api().tenant('Users')
})

const values = ['', '7', 'id:7', 'ID:7', 'a%', 'A_b', 'email:x', 'ß', "'"]
const quoted = values.map((value) => `'${value.replaceAll("'", "\\'")}'`).join(', ')
/** A row for each way in which an event can have or lack each part of the identity. */
const rows = ['user_id', 'user_email', 'user_name', 'user_ip']
  .map((column) => `(select arrayJoin([${quoted}]) as ${column}) as of_${column}`)
  .join(' cross join ')

// biome-ignore format: a list
const patterns = [
  'id:7', 'id:*', 'id:7*', 'ID:7', 'ID:7*', 'Id:*', 'id:id:7', 'id:a%', 'id:a*', 'id:A_b', 'id:a_*', 'id:ß',
  'email:7', 'email:*', 'email:email:x', 'email:x', 'EMAIL:*', 'email:*x', 'name:7', 'name:*', 'name:a*b',
  'ip:7', 'ip:*', 'ip:*7', 'ip:%', 'ip:\\*', '7', 'x', 'id', 'id:', '*', '*7', 'i*7', 'i*', '*:7', 'e*:*x', 'nobody:7',
  "id:'", 'id:\\\\', '__proto__', 'İd:7', 'ıd:7*',
]

test.each(patterns)('user:%s', async (pattern) => {
  const parsed = parseSearch(`user:"${pattern}"`)
  const [term] = parsed.kind === 'query' ? termsIn(parsed.terms) : []
  const [value] = term?.kind === 'field' ? term.values : []
  expect(value).toBeDefined()
  const parameters: Record<string, string> = {}
  const bind = (text: string) => {
    const name = `p${Object.keys(parameters).length}`
    parameters[name] = text
    return `{${name}:String}`
  }
  const byColumns = userCondition(value!, bind) ?? '2'
  const byIdentity = matches(userIdentity, value!, bind)
  const [row] = await api().ctx.clickhouse.select<{ wrong: number; all: number }>(
    `select count() as all, countIf((${byColumns}) != (${byIdentity}) and (${byColumns}) != 2) as wrong from ${rows}`,
    { project: tenant.project.dsnId, ...parameters },
  )
  expect(row).toEqual({ all: values.length ** 4, wrong: 0 })
})

test.each([
  ['id:7', "(user_id != '' and user_id = {p:String})"],
  ['id:', "(user_id != '' and user_id = {p:String})"],
  [
    'ip:1',
    "(user_ip != '' and user_id = '' and user_email = '' and user_name = '' and user_ip = {p:String})",
  ],
  ['someone', '0'],
])('%s reads %s', (text, sql) => {
  expect(userCondition({ pieces: [text] }, () => '{p:String}')).toBe(sql)
})
