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

test('long lines are broken at spaces, and those of tables stay whole', () => {
  const page = `${resultsBegin}\n${resultsEnd}\n`
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
  const table = `| ${words} |`
  const written = withResults(page, `${words}\n\n${table}\n\n${'x'.repeat(150)}`)
  const lines = written.split('\n')
  expect(lines).toContain(table)
  expect(lines).toContain('x'.repeat(150))
  const prose = lines.filter((line) => line.startsWith('word'))
  expect(prose.length).toBeGreaterThan(1)
  expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(prose.join(' ')).toBe(words)
})
