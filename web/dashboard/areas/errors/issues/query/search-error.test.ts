// cspell:ignore enviroment opne unresolvd resolvd regresed
import { expect, test } from 'vitest'
import { Problem } from '../../../../http/problem.ts'
import { searchErrorOf } from './search-error.ts'

function problemAt(
  position: number | undefined,
  rule: string,
  field = 'query',
  end?: number,
): Promise<Problem> {
  const place = { ...(position === undefined ? {} : { position }), ...(end && { end }) }
  const details = [{ field, rule, ...place }]
  const body = { error: 'It is wrong.', code: 'validation_failed', details }
  return Problem.of(Response.json(body, { status: 400 }))
}

test.each([
  ['is:open level:error', 3, 'open'],
  ['level:error is:opne', 15, 'opne'],
  ['times_seen:many', 11, 'many'],
  ['level:[error', 6, '[error'],
  ['x "abc', 2, '"abc'],
  ['level:', 6, ':'],
  ['abc', 900, 'c'],
  ['a  b', 1, ' '],
  ['is:open', undefined, 'is:open'],
])('in %j at %s, %j is underlined', async (query, position, marked) => {
  const searchError = searchErrorOf(await problemAt(position, 'must be something'), query)!
  expect(query.slice(searchError.start, searchError.end)).toBe(marked)
})

test('the message has the character as people count it, and the rule of the API', async () => {
  const rule = 'must be one of unresolved, resolved, new after is:'
  const searchError = searchErrorOf(await problemAt(3, rule), 'is:unresolvd level:error')
  expect(searchError?.message).toBe(`Character 4 ${rule}`)
  expect(searchError?.corrections.map(({ query }) => query)).toEqual([
    'is:unresolved level:error',
    'is:resolved level:error',
    'is:new level:error',
  ])
})

test.each([
  ['is:open', 'is:unresolved'],
  ['is:fixed', 'is:resolved'],
  ['is:resolvd', 'is:resolved'],
  ['is:regresed', 'is:regressed'],
  ['is:', 'is:new'],
])('%j most likely means %j', async (query, meant) => {
  const rule = 'must be one of unresolved, resolved, ignored, new, regressed after is:'
  const searchError = searchErrorOf(await problemAt(3, rule), query)
  expect(searchError?.corrections[0]?.query.trim()).toBe(meant)
})

test('a name that is not known is replaced by one that may be meant', async () => {
  const rule =
    'must name a field or a tag of an event of the project, and enviroment is neither; did you mean environment, tags[env]?'
  const searchError = searchErrorOf(await problemAt(1, rule, 'query', 11), '!enviroment:dev x')
  expect(searchError?.corrections.map(({ query }) => query)).toEqual([
    '!environment:dev x',
    '!tags[env]:dev x',
  ])
})

test.each([
  ['a OR (b', 5, 'must close each ( with a )', 'a OR (b)'],
  ['x "abc', 2, 'must close each " with another one', 'x "abc"'],
  ['level:[error, fatal ', 6, 'must close each [ with a ]', 'level:[error, fatal]'],
])('%j is corrected by closing it', async (query, position, rule, corrected) => {
  const searchError = searchErrorOf(await problemAt(position, rule), query)
  expect(searchError?.corrections).toMatchObject([{ query: corrected }])
})

test('a problem of another field, or no problem, is no error of the search', async () => {
  expect(searchErrorOf(await problemAt(0, 'must be less', 'limit'), 'x')).toBeUndefined()
  expect(searchErrorOf(new Error('away'), 'x')).toBeUndefined()
  expect(searchErrorOf(undefined, 'x')).toBeUndefined()
})
