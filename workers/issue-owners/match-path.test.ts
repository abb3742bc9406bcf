import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MatchBudget } from './match-budget.ts'
import { compilePath, matchPath, namesOfPath } from './match-path.ts'

function matches(pattern: string, path: string, budget = new MatchBudget()): boolean {
  return matchPath(compilePath(pattern), namesOfPath(path), budget)
}

// biome-ignore format: the columns are the point
test.each([
  ['*', 'a.ts', true],
  ['*', 'src/deep/a.ts', true],
  ['*.ts', 'src/a.ts', true],
  ['*.ts', 'src/a.tsx', false],
  ['src/api/**', 'src/api/deep/a.ts', true],
  ['src/api/**', '/app/src/api/a.ts', true],
  ['src/api/**', 'src/apis/a.ts', false],
  ['src/api/**', 'not-src/api/a.ts', false],
  ['src/api', 'src/api/deep/a.ts', true],
  ['src/api/', '/home/me/src/api/a.ts', true],
  ['src/api/a.ts', 'src/api/a.ts', true],
  ['/src/*.ts', 'src/a.ts', true],
  ['/src/*.ts', 'lib/src/a.ts', false],
  ['/src/', 'src/deep/a.ts', true],
  ['docs/*', 'docs/a.md', true],
  ['docs/*', 'docs/deep/a.md', false],
  ['src/**/test.ts', 'src/a/b/test.ts', true],
  ['src/**/test.ts', 'src/test.ts', true],
  ['**/logs', 'build/logs/x.log', true],
  ['a?c.py', 'abc.py', true],
  ['a?c.py', 'ac.py', false],
  ['SRC/Api', 'src/api/x', true],
  ['src/api', 'webpack:///./src/api/x.js', true],
  ['/static/js', 'https://shop.test/static/js/main.js', true],
  ['src\\api', 'C:\\work\\src\\api\\x.cs', true],
  ['app', 'app:///main.js', false],
  ['main.js', 'app:///main.js', true],
  ['/', 'a', false],
  ['**', 'a/b', true],
  ['src', '', false],
  ['a*b*c', 'a--b--c', true],
  ['a*b*c', 'a--b--', false],
  ['**/a/**/b/**/c', 'a/x/b/a/b/y/c', true],
  ['**/a/**/b/**/c', 'a/x/c/b/y', false],
])('%s and %s: %s', (pattern, path, want) => {
  expect(matches(pattern, path)).toBe(want)
})

/** The slow and obvious way, for names of one letter. */
function expressionOf(pattern: string): RegExp {
  const parts = compilePath(pattern).map((part) =>
    part === '**' ? '(?:[^/]+/)*' : `${part.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}/`,
  )
  return new RegExp(`^${parts.join('')}$`)
}

test('agrees with a regular expression', () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', '**', '?', 'a*', '*b', 'a?')
  const patterns = fc
    .tuple(
      fc.constantFrom('', '/'),
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('', '/'),
    )
    .map(([start, parts, end]) => start + parts.join('/') + end)
  const paths = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'aab'), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(patterns, paths, (pattern, path) => {
      const want = expressionOf(pattern).test(`${path.join('/')}/`)
      expect([pattern, path, matches(pattern, path.join('/'))]).toEqual([pattern, path, want])
    }),
    { numRuns: 5_000 },
  )
})

test('hostile patterns and paths end when the work is used up', () => {
  const budget = new MatchBudget()
  const pattern = compilePath(`${'*a'.repeat(140)}b/${'**/*x*/'.repeat(2)}`)
  const names = namesOfPath(`${'a'.repeat(500)}/`.repeat(500))
  expect(names.length * (names[0]?.length ?? 0)).toBeLessThanOrEqual(8_000)
  let matched = 0
  let tries = 0
  for (; budget.spend(0) && tries < 10_000; tries += 1) {
    if (matchPath(pattern, names, budget)) matched += 1
  }
  expect(matched).toBe(0)
  expect(tries).toBeLessThan(10_000)
})
