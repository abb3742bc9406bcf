import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canOverlap, exactly, globOf, isCovered, matchesGlob } from './glob-overlap.ts'

const characters = ['a', 'b', 'A', '*']
const glob = fc.string({ unit: fc.constantFrom(...characters), maxLength: 5 })
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), maxLength: 7 })

/** All short texts, as many as are needed for globs of at most 5 characters. */
const texts = ['']
for (let at = 0; texts[at]!.length < 8; at += 1) {
  texts.push(`${texts[at]}a`, `${texts[at]}b`)
}

test('a glob matches as a regular expression does', () => {
  fc.assert(
    fc.property(glob, text, (pattern, value) => {
      const isGlob = pattern.includes('*')
      const regex = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, isGlob ? 'i' : '')
      expect(matchesGlob(value, globOf(pattern))).toBe(regex.test(value))
    }),
    { seed: 7, numRuns: 2_000 },
  )
})

test('globs overlap exactly when some text matches both', () => {
  const lower = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 })
  fc.assert(
    fc.property(lower, lower, (left, right) => {
      const [a, b] = [globOf(left), globOf(right)]
      const some = texts.some((value) => matchesGlob(value, a) && matchesGlob(value, b))
      expect([left, right, canOverlap(a, b)]).toEqual([left, right, some])
      expect(canOverlap(b, a)).toBe(some)
    }),
    { seed: 7, numRuns: 1_000 },
  )
})

test('a glob that is covered matches nothing that the outer one does not', () => {
  fc.assert(
    fc.property(glob, glob, text, (inner, outer, value) => {
      if (!isCovered(globOf(inner), globOf(outer))) return
      if (matchesGlob(value, globOf(inner))) {
        expect([inner, outer, value, matchesGlob(value, globOf(outer))]).toEqual([
          inner,
          outer,
          value,
          true,
        ])
      }
    }),
    { seed: 7, numRuns: 5_000 },
  )
})

test('exact texts with a star in them are compared as they are', () => {
  expect(canOverlap(exactly('a*'), exactly('ab'))).toBe(false)
  expect(canOverlap(exactly('Prod'), exactly('prod'))).toBe(false)
  expect(canOverlap(exactly('Prod'), globOf('p*'))).toBe(true)
})
