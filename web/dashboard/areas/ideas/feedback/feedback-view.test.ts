import { describe, expect, test } from 'vitest'
import { type Feedback, filtersOf, isListed, nextAfter, queryOf } from './feedback-view.ts'

const read = (text: string) => {
  const params = new URLSearchParams(text)
  return filtersOf((name) => params.get(name) ?? undefined)
}
const issue = '0198c1a0-1b5c-7d33-9e77-3a1c7f3f5e32'

describe('the address of the inbox', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['', { limit: 50, status: 'New,Active,Assigned,Hold' }],
    ['view=done', { limit: 50, status: 'Resolved,Closed' }],
    ['view=archived', { limit: 50, archived: 'true' }],
    ['view=all&type=Bug', { limit: 50, type: 'Bug' }],
    ['status=Hold', { limit: 50, status: 'Hold' }],
    [`view=all&issue=${issue}&person=ada%40example.com&version=shop%401.4.0`, { limit: 50, issue_id: issue, person: 'ada@example.com', version: 'shop@1.4.0' }],
    ['view=all&search=%20cart%20', { limit: 50, search: 'cart' }],
    ['view=x&status=y&type=toString&issue=1&person=%20', { limit: 50, status: 'New,Active,Assigned,Hold' }],
  ])('%s', (text, query) => {
    expect(queryOf(read(text))).toEqual(query)
  })

  test('long texts are cut to what the API takes', () => {
    const query = queryOf(read(`person=${'p'.repeat(5_000)}&search=${'s'.repeat(5_000)}`))
    expect([query.person?.length, query.search?.length]).toEqual([200, 200])
  })
})

describe('after a change', () => {
  const item = { status: 'New', type: 'Bug', archived: false } as Feedback
  // biome-ignore format: the columns are the point
  test.each([
    ['', { status: 'Assigned' }, true],
    ['', { status: 'Resolved' }, false],
    ['', { archived: true }, false],
    ['view=done', { status: 'Closed' }, true],
    ['view=archived', { archived: true }, true],
    ['view=archived', {}, false],
    ['view=all', { status: 'Closed' }, true],
    ['type=Bug', { type: 'Praise' }, false],
    ['status=New', { status: 'Active' }, false],
  ] as const)('with %j, %j is listed: %s', (text, change, expected) => {
    expect(isListed(read(text), { ...item, ...change })).toBe(expected)
  })

  const items = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  // biome-ignore format: the columns are the point
  test.each([
    [['b'], 'b', 'c'],
    [['b', 'c'], 'b', 'd'],
    [['d'], 'd', 'c'],
    [['a', 'b', 'c', 'd'], 'c', undefined],
    [['a'], 'c', 'c'],
    [['a'], undefined, undefined],
    [['x'], 'x', 'a'],
  ])('when %j leave and %s was open, %s is', (leaving, current, next) => {
    expect(nextAfter(items, new Set(leaving), current)).toBe(next)
  })
})
