import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileTexts } from '../../test/fixtures/hostile-texts.ts'
import { compareReleases, parseRelease } from './compare-releases.ts'

const number = fc.oneof(fc.nat(3).map(String), fc.constantFrom('00', '01', '9'.repeat(30)))
const identifier = fc.constantFrom('alpha', 'beta', 'rc', '1', '2', '10', 'x-1', '01')
const preRelease = fc
  .tuple(fc.constantFrom('-', '', '.', '_'), fc.array(identifier, { minLength: 1, maxLength: 3 }))
  .map(([start, parts]) => start + parts.join('.'))
const date = fc.constantFrom(
  '2026.11.3',
  '20261103',
  '2026-11-03',
  '202611031530',
  '2026.11',
  '2026',
)
const version = fc
  .tuple(
    fc.constantFrom('', '', 'v', 'a@', '@b@'),
    fc.oneof(
      fc.array(number, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
      date,
    ),
    fc.option(preRelease, { nil: '' }),
    fc.constantFrom('', '', '+1', '+2', '+10', '+0', '+abc', '+1.2', '+'),
  )
  .map((parts) => parts.join(''))
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(...hostileTexts),
  fc.nat(2000).map((length) => '1.'.repeat(length)),
  fc.nat(2000).map((length) => `1-${'-'.repeat(length)}\u0000`),
  fc.nat(2000).map((length) => '@'.repeat(length)),
)
const any = fc.oneof({ weight: 9, arbitrary: version }, hostile)

test('no text makes it throw, and each text equals itself', () => {
  fc.assert(
    fc.property(any, (text) => {
      parseRelease(text)
      expect(compareReleases(text, text)).toBe(0)
    }),
    { numRuns: 3_000 },
  )
})

test('swapped releases compare the other way', () => {
  fc.assert(
    fc.property(any, any, (a, b) => {
      const order = compareReleases(a, b)
      expect(compareReleases(b, a)).toBe(order === undefined ? undefined : 0 - order || 0)
    }),
    { numRuns: 3_000 },
  )
})

test('the order is transitive, and so is being comparable', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      const [ab, bc, ac] = [compareReleases(a, b), compareReleases(b, c), compareReleases(a, c)]
      if (ab === undefined || bc === undefined) return
      expect(ac).toBeDefined()
      if (ab <= 0 && bc <= 0) expect(ac).toBeLessThanOrEqual(0)
      if (ab < 0 && bc <= 0) expect(ac).toBe(-1)
      if (ab === 0 && bc === 0) expect(ac).toBe(0)
    }),
    { numRuns: 20_000 },
  )
})
