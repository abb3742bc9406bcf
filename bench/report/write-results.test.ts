import { expect, test } from 'vitest'
import { resultsBegin, resultsEnd, withResults } from './write-results.ts'

test('the measured part is replaced, also repeatedly', () => {
  const page = `words\n${resultsBegin}\nold\n${resultsEnd}\nmore words\n`
  const once = withResults(page, 'new\n')
  expect(once).toBe(`words\n${resultsBegin}\n\nnew\n\n${resultsEnd}\nmore words\n`)
  expect(withResults(once, 'new')).toBe(once)
})

test('a page without the markers is an error', () => {
  expect(() => withResults('words', 'new')).toThrow(/measured: begin/)
  expect(() => withResults(`${resultsEnd} ${resultsBegin}`, 'new')).toThrow(/measured: begin/)
})
