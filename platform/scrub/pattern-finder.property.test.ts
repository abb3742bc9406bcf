import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTextPattern } from '#platform/text/text-pattern.ts'
import { PatternFinder } from './pattern-finder.ts'

const seed = 20_261_121
const budget = () => ({ stepsLeft: 1e12 })

/** Returns every character that some match of the regular expression covers. */
function coveredByRegExp(pattern: string, text: string): boolean[] {
  const covered = Array.from(text, () => false)
  for (let start = 0; start < text.length; start += 1) {
    for (let end = start + 1; end <= text.length; end += 1) {
      if (!new RegExp(`^(?:${pattern})$`, 'i').test(text.slice(start, end))) continue
      covered.fill(true, start, end)
    }
  }
  return covered
}

const piece = fc.tuple(
  fc.constantFrom('a', 'b', '\\d', '[ab]', '[^a]', '\\.', 'c'),
  fc.constantFrom('', '', '?', '*', '+', '{2}', '{1,3}', '{2,}'),
)
const patterns = fc
  .array(piece, { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.map(([what, count]) => what + count).join(''))
  .filter((pattern) => parseTextPattern(pattern).kind === 'pattern')

test('it finds exactly the characters that a regular expression covers', () => {
  fc.assert(
    fc.property(patterns, fc.stringMatching(/^[abc1.]{0,14}$/), (pattern, text) => {
      const covered = Array.from(text, () => false)
      for (const { start, end } of new PatternFinder(pattern).find(text, budget())) {
        covered.fill(true, start, end)
      }
      expect(covered).toEqual(coveredByRegExp(pattern, text))
    }),
    { seed, numRuns: 400 },
  )
})

test('it also finds a pattern longer than a machine word', () => {
  const long = 'abcdefghijklmnopqrstuvwxyz-0123456789-abcdefghijklmnop'
  expect(new PatternFinder(long).find(`x${long}y`, budget())).toEqual([
    { start: 1, end: 1 + long.length },
  ])
  expect(new PatternFinder(long).find(`x${long.slice(0, -1)}y`, budget())).toEqual([])
})

// A backtracking matcher would need hours for each of these.
test.each([
  ['nested repetition', '\\w*\\w*\\w*\\w*\\w*\\w*\\w*!', 'a'.repeat(200_000)],
  ['optional characters', `${'a?'.repeat(32)}${'a'.repeat(32)}`, 'a'.repeat(100_000)],
  ['all that can follow', '.*.*.*.*=.*.*.*x', 'x='.repeat(100_000)],
  ['a match everywhere', 'a+b*', 'a'.repeat(300_000)],
])(
  'a hostile pattern cannot hang: %s',
  (_name, pattern, text) => {
    expect(parseTextPattern(pattern).kind).toBe('pattern')
    expect(() => new PatternFinder(pattern).find(text, budget())).not.toThrow()
  },
  3_000,
)

test('a text that would cost too much is covered as a whole if it may match', () => {
  const finder = new PatternFinder('a.{40}b')
  const left = { stepsLeft: 100 * 42 }
  const text = `a${'x'.repeat(40)}b${'y'.repeat(58)}`
  expect(finder.find(text, left)).toEqual([{ start: 0, end: 42 }])
  expect(finder.find(text, left)).toEqual([{ start: 0, end: 100 }])
  expect(finder.find('y'.repeat(100), left)).toEqual([])
})
