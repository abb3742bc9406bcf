// cspell:ignore enviroment qeue queu grösse
/**
 * Names in the query of a rule: what is neither a field nor a tag of the project is refused when a
 * rule is saved or previewed. Rules from before keep working and say what is wrong.
 */
import { beforeAll, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Names', accessScopes)
  await api().login(tenant, 'owner')
  await api().addEvents(tenant, [{ id: 'a', hash: 'fa', tags: { queue: 'mail', größe: 'xl' } }])
})

const rule = {
  name: 'Errors',
  when: [{ type: 'new_issue' }],
  then: [{ type: 'email', to: ['owners'] }],
}
const post = (filter: object, of = tenant) =>
  api().of(of, '/alerts', { method: 'POST', body: { ...rule, if: filter } })
const patch = (id: string, body: object) =>
  api().of(tenant, `/alerts/${id}`, { method: 'PATCH', body })
const preview = (filter: object) =>
  api().of(tenant, '/alerts/preview', { method: 'POST', body: { ...rule, if: filter } })

// biome-ignore format: the columns are the point
const refused: readonly (readonly [query: string, name: string, meant: string, at: string])[] = [
  ['qeue:mail',                          'qeue',        'queue',         'qeue'],
  ['level:error !qeue:mail',             'qeue',        'queue',         'qeue'],
  ['level:error (qeue:a OR level:info)', 'qeue',        'queue',         'qeue'],
  ['has:qeue',                           'qeue',        'queue',         'qeue'],
  ['!has:qeue',                          'qeue',        'queue',         'qeue'],
  ['enviroment:live',                    'enviroment',  'environment',   'enviroment'],
  ['status_code:500',                    'status_code', 'http.status_code', 'status_code'],
  ['grösse:xl',                          'grösse',      'größe',         'grösse'],
  ['qqqqqqqqqqqqqqqqq:1',                'qqqqqqqqqqqqqqqqq', 'GET search/fields', 'qqqqqqqqqqqqqqqqq'],
]

test.each(refused)('%s is refused as in a search', async (query, name, meant, at) => {
  const existing = await post({})
  const kept = existing.body.id
  const search = await api().of(tenant, `/events?query=${encodeURIComponent(query)}`)
  expect(search.status).toBe(400)
  for (const answer of [
    await post({ query }),
    await preview({ query }),
    await patch(kept, { if: { query } }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    const [detail, ...others] = answer.body.details
    expect(others).toEqual([])
    expect(detail.field).toBe('if.query')
    expect(detail.rule).toContain(`${name} is neither; `)
    expect(detail.rule).toContain(meant)
    expect(query.slice(detail.position, detail.end)).toBe(at)
    const [{ position, end, rule: searched }] = search.body.details
    expect([detail.position, detail.end]).toEqual([position, end])
    expect(detail.rule).toContain(searched)
  }
})

test.each([
  'queue:mail',
  'größe:x*',
  '!has:queue level:error',
  'device:"Pixel 9" OR stack.function:pay',
  'words that are no names',
  // It states that it is a tag, which events may have later.
  'tags[qeue]:mail',
])('%s is accepted', async (query) => {
  const { status, body } = await post({ query })
  expect([status, body.message]).toEqual([201, undefined])
  expect((await preview({ query })).status).toBe(200)
})

test('a tag that no event has is a warning where it is named as a tag', async () => {
  const filter = { query: 'tags[qeue]:mail level:error', tags: { queu: ['a'], queue: ['b'] } }
  const { body } = await post(filter)
  const warnings = [
    {
      field: 'if.tags.queu',
      rule: 'no event of the project has the tag queu; did you mean queue?',
    },
    { field: 'if.query', rule: 'no event of the project has the tag qeue; did you mean queue?' },
  ]
  expect(body.warnings).toEqual(warnings)
  expect((await preview(filter)).body.warnings).toEqual(warnings)
})

test('a rule from before keeps its query, says what is wrong, and can be changed', async () => {
  const { body } = await post({ query: 'queue:mail' })
  await api().pool.query(
    `update alert_rules set conditions = jsonb_set(conditions, '{if,query}', '"qeue:mail"') where id = $1`,
    [body.id],
  )
  const warnings = [
    { field: 'if.query', rule: 'no event of the project has the tag qeue; did you mean queue?' },
  ]
  const before = await api().of(tenant, `/alerts/${body.id}`)
  expect(before.body).toMatchObject({ if: { query: 'qeue:mail' }, warnings })
  const renamed = await patch(body.id, { name: 'Renamed', if: { query: 'qeue:mail' } })
  expect(renamed.body).toMatchObject({ name: 'Renamed', if: { query: 'qeue:mail' }, warnings })
  const { items } = (await api().of(tenant, '/alerts')).body
  expect(items.find(({ id }: { id: string }) => id === body.id).warnings).toEqual(warnings)
  expect((await patch(body.id, { if: { query: 'qeue:other' } })).status).toBe(400)
  expect((await patch(body.id, { if: { query: 'queue:other' } })).body.warnings).toEqual([])
})

test('tags of one project are unknown to rules of another', async () => {
  const other = await api().tenant('Others', accessScopes)
  await api().addEvents(other, [{ id: 'b', hash: 'fb' }])
  expect((await post({ query: 'queue:mail' }, other)).status).toBe(400)
  expect((await post({ query: 'tags[queue]:mail' }, other)).status).toBe(201)
})

test('before the first event of a project, its rules may name any tag', async () => {
  const other = await api().tenant('Empty', accessScopes)
  const { status, body } = await post({ query: 'queue:mail' }, other)
  expect(status).toBe(201)
  const field = 'if.query'
  const rule = expect.stringMatching(/^no event of the project has the tag queue/)
  expect(body.warnings).toContainEqual({ field, rule })
})
