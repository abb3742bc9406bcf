import { describe, expect, test } from 'vitest'
import { rangeOfLine, readProblems, stillPresent } from './line-problems.ts'

test('rules of the API become problems of lines', () => {
  const details = [
    { field: 'rules', rule: 'line 12: unknown owner "line 3: x"' },
    { field: 'rules', rule: 'must have at most 65536 characters' },
    { field: 'skip_invalid', rule: 'line 1: is another field' },
  ]
  expect(readProblems(details)).toEqual({
    lines: [{ line: 12, message: 'unknown owner "line 3: x"' }],
    others: ['must have at most 65536 characters'],
  })
})

test('of a field with places', () => {
  const field = 'grouping.fingerprint_rules'
  const details = [
    { field, rule: 'line 2, character 7: a rule needs `->`' },
    { field: 'grouping.stack_trace_rules', rule: 'line 1, character 1: is another field' },
  ]
  expect(readProblems(details, field)).toEqual({
    lines: [{ line: 2, at: 7, message: 'a rule needs `->`' }],
    others: [],
  })
})

describe('a problem stays until its line changes', () => {
  const problems = [
    { line: 1, message: 'one' },
    { line: 3, message: 'three' },
  ]
  test.each([
    ['nothing changed', 'a\nb\nc', [1, 3]],
    ['another line changed', 'a\nB\nc', [1, 3]],
    ['the line changed', 'a\nb\nC', [1]],
    ['the lines moved', 'new\na\nb\nc', []],
    ['the line was removed', 'a\nb', [1]],
    ['everything was removed', '', []],
  ])('%s', (_name, text, lines) => {
    expect(stillPresent(problems, 'a\nb\nc', text).map(({ line }) => line)).toEqual(lines)
  })
})

test.each([
  [1, 'one'],
  [2, ''],
  [3, 'three'],
  [9, ''],
])('line %i is selected', (line, selected) => {
  const text = 'one\n\nthree'
  expect(text.slice(...rangeOfLine(text, line))).toBe(selected)
})
