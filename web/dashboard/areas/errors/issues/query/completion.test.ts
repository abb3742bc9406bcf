import { describe, expect, test } from 'vitest'
import {
  completeField,
  completeValue,
  type TypedField,
  type TypedValue,
  typedAt,
} from './completion.ts'

/** The caret is at the bar. */
function at(text: string) {
  const caret = text.indexOf('|')
  return { query: text.replace('|', ''), caret }
}

function show({ query, caret }: { readonly query: string; readonly caret: number }): string {
  return `${query.slice(0, caret)}|${query.slice(caret)}`
}

describe('what is typed', () => {
  test.each([
    ['|', { kind: 'field', prefix: '' }],
    ['lev|', { kind: 'field', prefix: 'lev' }],
    ['!lev|', { kind: 'field', prefix: 'lev' }],
    ['is:new |', { kind: 'field', prefix: '' }],
    ['is:new | x', { kind: 'field', prefix: '' }],
    ['level:|', { kind: 'value', field: 'level', prefix: '' }],
    ['level:err|or', { kind: 'value', field: 'level', prefix: 'err' }],
    ['level:[error, fa|', { kind: 'value', field: 'level', prefix: 'fa', isInList: true }],
    ['level:[err|, fatal]', { kind: 'value', field: 'level', prefix: 'err', isInList: true }],
    ['browser:"Internet Ex|', { kind: 'value', field: 'browser', prefix: 'Internet Ex' }],
    ['tags[plan]:p|', { kind: 'value', field: 'plan', prefix: 'p' }],
  ])('%j', (text, expected) => {
    const { query, caret } = at(text)
    expect(typedAt(query, caret)).toMatchObject(expected)
  })
})

test.each([
  ['lev|', 'level', 'level:|'],
  ['is:new lev|', 'level', 'is:new level:|'],
  ['!env| x', 'environment', '!environment:| x'],
  ['le|v:error', 'level', 'level:|error'],
  ['|', 'my tag', 'tags[my tag]:|'],
])('a field in %j', (text, name, expected) => {
  const { query, caret } = at(text)
  const typed = typedAt(query, caret) as TypedField
  expect(show(completeField(query, typed, { name, isTagLikeField: false }))).toBe(expected)
})

test.each([
  ['level:er|', 'error', 'level:error |'],
  ['level:er| x', 'error', 'level:error |x'],
  ['level:[error, fa|]', 'fatal', 'level:[error, fatal|]'],
  ['level:[er|, fatal]', 'error', 'level:[error|, fatal]'],
  ['browser:"Inter|', 'Internet Explorer', 'browser:"Internet Explorer" |'],
])('a value in %j', (text, value, expected) => {
  const { query, caret } = at(text)
  const typed = typedAt(query, caret) as TypedValue
  expect(show(completeValue(query, typed, { text: value }))).toBe(expected)
})

test('operators and spans are written as they are', () => {
  const typed = typedAt('times_seen:', 11) as TypedValue
  expect(show(completeValue('times_seen:', typed, { text: '>100', raw: true }))).toBe(
    'times_seen:>100 |',
  )
})
