import { expect, test } from 'vitest'
import { filtersOf, isFiltered, queryOf } from './comment-filters.ts'

const id = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'

// biome-ignore format: the columns are the point
const cases = [
  ['',                                    { limit: 50 }],
  ['moderation=pending',                  { limit: 50, moderation: 'pending' }],
  ['moderation=hidden',                   { limit: 50 }],
  ['author=team',                         { limit: 50, author: 'team' }],
  [`author=${id}&idea=${id}`,             { limit: 50, author: id, idea_id: id }],
  ['author=<script>&idea=1',              { limit: 50 }],
  ['search=%20spam%20',                   { limit: 50, search: 'spam' }],
  ['search=%20',                          { limit: 50 }],
] as const

test.each(cases)('%s', (address, query) => {
  const params = new URLSearchParams(address)
  const filters = filtersOf((name) => params.get(name) ?? undefined)
  expect(queryOf(filters)).toEqual(query)
  expect(isFiltered(filters)).toBe(Object.keys(query).length > 1)
})
