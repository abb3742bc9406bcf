import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Comments')
})

const comment = (id: string, body: unknown) =>
  api().of(tenant, `/issues/${id}/comments`, { method: 'POST', body })

describe('POST issues/{issue_id}/comments', () => {
  test('adds an entry of the activity and changes nothing else', async () => {
    const id = await api().addIssue(tenant, { substatus: 'new', triage: 'new' })
    const before = (await api().of(tenant, `/issues/${id}`)).body
    const text = '# Cause\n\nThe *driver*; see [this](https://x.test) <b>&</b> 日本 🦀\n'
    const answer = await comment(id, { text })
    expect([answer.status, answer.body]).toMatchObject([
      201,
      {
        issue_id: id,
        kind: 'comment',
        actor: { type: 'token', label: 'test' },
        data: { text },
        at: at(0),
      },
    ])
    const { body } = await api().of(tenant, `/issues/${id}`)
    expect(body).toEqual({ ...before, activity: [answer.body] })
  })

  test('comments of a merged issue show in its issue, which takes new ones', async () => {
    const a = await api().addIssue(tenant, { hashes: ['ca'] })
    const b = await api().addIssue(tenant, { hashes: ['cb'] })
    await comment(a, { text: 'of a' })
    await api().of(tenant, `/issues/${a}/merge`, { method: 'POST', body: { into: b } })
    const refused = await comment(a, { text: 'too late' })
    expect([refused.status, refused.body.code]).toEqual([409, 'issue_merged'])
    await comment(b, { text: 'of b' })
    const textsOf = async (id: string) =>
      (await api().of(tenant, `/issues/${id}`)).body.activity
        .filter(({ kind }: { kind: string }) => kind === 'comment')
        .map(({ issue_id, data }: { issue_id: string; data: object }) => [issue_id, data])
    expect(await textsOf(b)).toEqual([
      [b, { text: 'of b' }],
      [a, { text: 'of a' }],
    ])
    const unmerge = { method: 'POST', body: { hashes: [hex('ca')] } } as const
    await api().of(tenant, `/issues/${b}/unmerge`, unmerge)
    expect(await textsOf(a)).toEqual([[a, { text: 'of a' }]])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['nothing',          {},                                  'text'],
    ['an empty text',    { text: '' },                        'text'],
    ['white space',      { text: ' \n\t' },                   'text'],
    ['too long a text',  { text: 'x'.repeat(10_001) },        'text'],
    ['NUL',              { text: 'a\u0000' },                 'text'],
    ['a lone surrogate', { text: '\udc00' },                  'text'],
    ['a number',         { text: 1 },                         'text'],
    ['another field',    { text: 'x', issue_id: 'y' },        'issue_id'],
  ] as const)('%s is refused and named', async (_name, body, field) => {
    const id = await api().addIssue(tenant, {})
    const answer = await comment(id, body)
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field])
  })

  test('needs an issue of the project, and a token that may write', async () => {
    const other = await api().tenant('Elsewhere')
    const theirs = await api().addIssue(other, {})
    for (const id of [theirs, hex('none'), 'x']) {
      expect((await comment(id, { text: 'x' })).status).toBe(404)
    }
    const reader = await api().tenant('Reader', ['issues:read'])
    const own = await api().addIssue(reader, {})
    const answer = await api().of(reader, `/issues/${own}/comments`, {
      method: 'POST',
      body: { text: 'x' },
    })
    expect(answer.status).toBe(403)
  })
})
