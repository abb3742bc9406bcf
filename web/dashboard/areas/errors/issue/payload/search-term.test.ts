import { expect, test } from 'vitest'
import { parseSearch } from '#schemas/search/search-query.ts'
import { fieldTerm, tagTerm } from './search-term.ts'

// biome-ignore format: one case a line
test.each([
  'orders', 'two words', 'a"quote', 'back\\slash', 'a*star', '[list]', '>5', '', 'x:y', '"', '\\"',
])('the search finds the value %j as it is', (value) => {
  if (value === '') return
  for (const [term, isTag] of [[fieldTerm('release', value), false], [tagTerm('release', value), true]] as const) {
    expect(parseSearch(term)).toMatchObject({
      kind: 'query',
      terms: [{ kind: 'field', field: 'release', isTag, operator: '=', values: [{ pieces: [value] }] }],
    })
  }
})
