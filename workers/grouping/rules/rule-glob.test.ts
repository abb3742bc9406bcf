import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RuleBudget } from './rule-budget.ts'
import { compileRuleGlob } from './rule-glob.ts'

const matches = (glob: string, text: string, isPath: boolean) =>
  compileRuleGlob(glob, isPath)(text, new RuleBudget())

// biome-ignore format: the columns are the point
test.each([
  ['a',            'a',               true,  true],
  ['a',            'ab',              false, false],
  ['*',            '',                true,  true],
  ['a*c',          'abbc',            true,  true],
  ['a?c',          'abc',             true,  true],
  ['a?c',          'ac',              false, false],
  ['*b*d*',        'abcde',           true,  true],
  ['a*',           'a/b',             true,  false],
  ['a?b',          'a/b',             true,  false],
  ['a/**',         'a/b/c',           true,  true],
  ['**/src/*.js',  '/app/src/a.js',   true,  true],
  ['**/src/*.js',  '/app/src/x/a.js', true,  false],
  ['**/src/**.js', '/app/src/x/a.js', true,  true],
  ['a.b',          'axb',             false, false],
  ['(a+)+$',       '(a+)+$',          true,  true],
])('%s and %s: %j as a text, %j as a path', (glob, text, asText, asPath) => {
  expect([matches(glob, text, false), matches(glob, text, true)]).toEqual([asText, asPath])
})

const signs = fc.array(fc.constantFrom('a', 'b', '/', '*', '**', '?'), { maxLength: 10 })
const texts = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 14 })
test('it matches as a regular expression of the same meaning does', () => {
  fc.assert(
    fc.property(signs, texts, fc.boolean(), (glob, text, isPath) => {
      const name = isPath ? '[^/]' : '[^]'
      const source = glob
        .join('')
        .replace(/\*+|\?/g, (sign) =>
          sign === '?' ? name : sign.length > 1 || !isPath ? '[^]*' : '[^/]*',
        )
      const same = new RegExp(`^${source}$`).test(text.join(''))
      expect(matches(glob.join(''), text.join(''), isPath)).toBe(same)
    }),
    { numRuns: 2_000 },
  )
})

test('when the work for an event is used up, nothing matches any more', () => {
  const budget = new RuleBudget()
  const glob = compileRuleGlob('*a*b', true)
  expect(glob('ab', budget)).toBe(true)
  budget.spend(10_000_000)
  expect(glob('ab', budget)).toBe(false)
})
