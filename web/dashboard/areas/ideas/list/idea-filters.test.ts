import { describe, expect, test } from 'vitest'
import { filtersOf, isFiltered, queryOf } from './idea-filters.ts'

const read = (text: string) => {
  const params = new URLSearchParams(text)
  return filtersOf((name) => params.get(name) ?? undefined)
}

describe('the address of the list of ideas', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['', { limit: 50, sort: 'votes' }],
    ['sort=newest&status=Planned&tag=mobile', { limit: 50, sort: 'newest', status: 'Planned', tag: 'mobile' }],
    ['search=%20dark%20mode%20', { limit: 50, sort: 'votes', search: 'dark mode' }],
    ['search=%20%20', { limit: 50, sort: 'votes' }],
    ['moderation=rejected', { limit: 50, sort: 'votes', moderation: 'rejected' }],
    ['sort=; drop&status=__proto__&moderation=toString', { limit: 50, sort: 'votes' }],
  ])('%s', (text, query) => {
    expect(queryOf(read(text))).toEqual(query)
  })

  test('a text that is too long is cut to what the API takes', () => {
    expect(queryOf(read(`search=${'a'.repeat(10_000)}`)).search).toHaveLength(200)
  })

  test('the board asks for one status at a time', () => {
    expect(queryOf(read('view=board&tag=mobile'), 'Started')).toMatchObject({
      status: 'Started',
      tag: 'mobile',
    })
  })

  test.each([
    ['', false],
    ['sort=newest&view=board', false],
    ['tag=mobile', true],
    ['search=dark', true],
  ])('%s is filtered: %s', (text, expected) => {
    expect(isFiltered(read(text))).toBe(expected)
  })
})
