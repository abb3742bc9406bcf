import { describe, expect, test } from 'vitest'
import { apiOfThisFile, at } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()

describe('PATCH issues/{issue_id}', () => {
  const stored = async (id: string) => {
    const { rows } = await api().pool.query(
      `select status, substatus, resolved_at,
         (select count(*) from issue_activity where issue_id = $1) as activities
       from issues where id = $1`,
      [id],
    )
    return rows[0]
  }

  // biome-ignore format: the columns are the point
  test.each([
    ['unresolved', 'new',       'resolved',   null,      at(0), 1],
    ['unresolved', 'regressed', 'ignored',    null,      null,  1],
    ['resolved',   null,        'unresolved', 'ongoing', null,  1],
    ['ignored',    null,        'unresolved', 'ongoing', null,  1],
    ['unresolved', 'new',       'unresolved', 'new',     null,  0],
  ] as const)('%s (%s) becomes %s', async (from, substatus, to, wantSubstatus, resolvedAt, activities) => {
    const tenant = await api().tenant('Changes')
    const id = await api().addIssue(tenant, {
      status: from,
      ...(substatus === null ? {} : { substatus }),
    })
    const change = { method: 'PATCH', body: { status: to } } as const
    const answer = await api().of(tenant, `/issues/${id}`, change)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, status: to, substatus: wantSubstatus })
    const want = {
      status: to,
      substatus: wantSubstatus,
      resolved_at: resolvedAt === null ? null : new Date(resolvedAt),
      activities,
    }
    expect(await stored(id)).toEqual(want)
    await api().of(tenant, `/issues/${id}`, change)
    expect(await stored(id)).toEqual(want)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an unknown status',              { status: 'merged' },                        'status'],
    ['a field of nothing',             { status: 'resolved', color: 'red' },        'color'],
    ['a field that cannot be changed', { assignee: 'x@y.test' },                    'assignee'],
    ['nothing to change',              {},                                          'status'],
    ['a list',                         [],                                          'body'],
  ] as const)('%s is refused and named, and changes nothing', async (_name, body, field) => {
    const tenant = await api().tenant('Refusals')
    const id = await api().addIssue(tenant, {})
    const answer = await api().of(tenant, `/issues/${id}`, { method: 'PATCH', body })
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    // biome-ignore lint/suspicious/noExplicitAny: an error as JSON.
    expect(answer.body.details.map((detail: any) => detail.field)).toContain(field)
    expect(await stored(id)).toMatchObject({ status: 'unresolved', activities: 0 })
  })

  test('two concurrent resolutions add one activity', async () => {
    const tenant = await api().tenant('Race')
    const id = await api().addIssue(tenant, {})
    const change = { method: 'PATCH', body: { status: 'resolved' } } as const
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => api().of(tenant, `/issues/${id}`, change)),
    )
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
    expect(await stored(id)).toMatchObject({ status: 'resolved', activities: 1 })
  })
})
