import { expect, test } from 'vitest'
import {
  ownerName,
  ownershipCharactersMax,
  ownershipRulesMax,
  parseOwnership,
} from './parse-ownership.ts'

/** Each rule as `kind pattern > owners`. */
function shown(text: string): string[] {
  return parseOwnership(text).rules.map(({ subject, pattern, owners }) => {
    const kind = subject.kind === 'tag' ? `tag ${subject.key}` : subject.kind
    return `${kind} ${pattern} > ${owners.map(ownerName).join(' ')}`.trimEnd()
  })
}

// biome-ignore format: the columns are the point
test.each([
  ['a team and a person', 'src/api/** #server Alice@Example.com', ['path src/api/** > #server alice@example.com']],
  ['a team of CODEOWNERS', '*.css  @acme/Frontend', ['path *.css > #frontend']],
  ['prefixes', 'path:a/ #x\nmodule:com.a.* #x\nurl:https://a.test/* #x\ntags.component:worker #x\ncodeowners:/b #x',
    ['path a/ > #x', 'module com.a.* > #x', 'url https://a.test/* > #x', 'tag component worker > #x', 'path /b > #x']],
  ['comments and empty lines', '# a\n\n   # b\r\n* #all # everything else\n', ['path * > #all']],
  ['escapes', '\\#notes\\ 1/ #x\na\\\\b #x', ['path #notes 1/ > #x', 'path a\\b > #x']],
  ['no owners: nobody', 'vendor/', ['path vendor/ >']],
  ['no owners but a comment', 'vendor/ # nobody', ['path vendor/ >']],
  ['a colon in a path', 'c:/work/** #x', ['path c:/work/** > #x']],
  ['windows line ends', 'a #x\r\nb #y\r\n', ['path a > #x', 'path b > #y']],
])('reads %s', (_name, text, rules) => {
  expect(parseOwnership(text).problems).toEqual([])
  expect(shown(text)).toEqual(rules)
})

// biome-ignore format: the columns are the point
test.each([
  ['a person without an address', 'src @alice', [], 'unknown owner "@alice"'],
  ['one unknown owner of two', 'src @alice #web', ['path src > #web'], 'unknown owner "@alice"'],
  ['a section', '[Docs][2] @acme/docs\na #x', ['path a > #x'], 'sections'],
  ['an optional section', '^[Docs]\na #x', ['path a > #x'], 'sections'],
  ['a negation', '!src #x\na #x', ['path a > #x'], 'negated'],
  ['an empty pattern', 'path: #x', [], 'prefix'],
  ['a tag without a key', 'tags.:x #x', [], 'prefix'],
  ['a long pattern', `${'a'.repeat(301)} #x`, [], 'longer than 300'],
  ['a bad slug', 'a #-x', [], 'unknown owner "#-x"'],
  ['too many owners', `a ${Array.from({ length: 11 }, (_, no) => `#t${no}`).join(' ')}`,
    [`path a > ${Array.from({ length: 10 }, (_, no) => `#t${no}`).join(' ')}`], 'at most 10'],
])('reports %s and skips it', (_name, text, rules, problem) => {
  expect(shown(text)).toEqual(rules)
  expect(parseOwnership(text).problems).toMatchObject([
    { line: 1, message: expect.stringContaining(problem) },
  ])
})

test('rules and characters are bounded', () => {
  const many = parseOwnership('a #x\n'.repeat(ownershipRulesMax + 5))
  expect([many.rules.length, many.problems.length]).toEqual([ownershipRulesMax, 1])
  const long = parseOwnership(`a #x\n${'#'.repeat(ownershipCharactersMax)}\nb #x`)
  expect([long.rules.length, long.problems.length]).toEqual([1, 1])
  expect(parseOwnership('a @b\n'.repeat(5_000)).problems).toHaveLength(100)
})
