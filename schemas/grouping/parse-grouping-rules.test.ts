import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type FingerprintPart,
  fingerprintPartsMax,
  parseFingerprintRules,
} from './parse-fingerprint-rules.ts'
import { parseStackTraceRules } from './parse-stack-trace-rules.ts'
import { matchersPerRuleMax, type RuleMatcher } from './rule-matcher.ts'
import { rulesMax, ruleTextCharactersMax } from './rule-text.ts'

const shownMatchers = (matchers: readonly RuleMatcher[]) =>
  matchers
    .map(({ subject, isNegated, globs }) => {
      const key = subject.kind === 'family' ? 'family' : subject.key
      return `${isNegated ? '!' : ''}${subject.kind}.${key}:${globs.join('+')}`
    })
    .join(' ')
const shownParts = (parts: readonly FingerprintPart[]) =>
  parts.map((part) => (part.kind === 'text' ? part.text : `{${part.name}}`)).join('|')

/** Each rule as `line matchers > parts (title)`. */
function fingerprints(text: string): string[] {
  return parseFingerprintRules(text).rules.map(
    ({ line, matchers, parts, title }) =>
      `${line} ${shownMatchers(matchers)} > ${shownParts(parts)}${title ? ` (${shownParts(title)})` : ''}`,
  )
}

function stackTraces(text: string): string[] {
  return parseStackTraceRules(text).rules.map(({ line, matchers, caller, callee, actions }) =>
    [
      line,
      caller.length > 0 ? `[${shownMatchers(caller)}]` : '',
      shownMatchers(matchers),
      callee.length > 0 ? `[${shownMatchers(callee)}]` : '',
      ...actions.map(({ what, value, where }) => `${where} ${value ? '+' : '-'}${what}`),
    ]
      .filter((part) => part !== '')
      .join(' '),
  )
}

// biome-ignore format: the columns are the point
test.each([
  ['one matcher and one part',     'type:Timeout -> db',                              ['1 exception.type:timeout > db']],
  ['names of other products',      'error.type:A error.value:B stack.function:c stack.module:d stack.abs_path:e stack.package:f -> x',
    ['1 exception.type:a exception.value:b frame.function:c frame.module:d frame.path:e frame.package:f > x']],
  ['what an event has',            'message:a level:error logger:b release:c environment:d transaction:e sdk:f tags.Team:g -> x',
    ['1 event.message:a event.level:error event.logger:b event.release:c event.environment:d event.transaction:e event.sdk:f tag.Team:g > x']],
  ['negation',                     '!type:A !tags.b:c -> x',                          ['1 !exception.type:a !tag.b:c > x']],
  ['quoted globs',                 'value:"* timed out: \\"a\\" \\\\*" -> x',         ['1 exception.value:* timed out: "a" \\* > x']],
  ['parts with commas or blanks',  'type:A -> a, b c,d ,e',                           ['1 exception.type:a > a|b|c|d|e']],
  ['variables',                    'type:A -> {{ default }}, {{type}} {{ tags.a b }}', ['1 exception.type:a > {default}|{error.type}|{tags.a b}']],
  ['a quoted part',                'type:A -> "a, b" "#418" "->"',                    ['1 exception.type:a > a, b|#418|->']],
  ['a title',                      'type:A -> a title="P: {{ error.type }} in {{function}}"', ['1 exception.type:a > a (P: |{error.type}| in |{stack.function})']],
  ['comments and empty lines',     '# a\n\n  # b\r\ntype:A -> b # why\r\n',           ['4 exception.type:a > b']],
  ['families and app',             'family:javascript,Native app:TRUE -> x',          ['1 family.family:javascript+native frame.app:yes > x']],
  ['a glob with a colon',          'path:https://cdn.test/** -> x',                   ['1 frame.path:https://cdn.test/** > x']],
])('a fingerprint rule with %s', (_name, text, rules) => {
  expect(parseFingerprintRules(text).problems).toEqual([])
  expect(fingerprints(text)).toEqual(rules)
})

// biome-ignore format: the columns are the point
test.each([
  ['own code',              'path:**/vendor/acme/** +app',                 ['1 frame.path:**/vendor/acme/** frame +app']],
  ['several actions',       'function:a -app -group',                      ['1 frame.function:a frame -app frame -group']],
  ['frames on both sides',  'function:a ^-group v+app',                    ['1 frame.function:a called -group callers +app']],
  ['the caller',            '[ function:a !module:b ] | module:c -app',    ['1 [frame.function:a !frame.module:b] frame.module:c frame -app']],
  ['the called frame',      'module:c | [function:a] -app',                ['1 frame.module:c [frame.function:a] frame -app']],
  ['both without blanks',   '[type:E]| module:c |[function:a] +group',    ['1 [exception.type:e] frame.module:c [frame.function:a] frame +group']],
  ['an exception',          'error.type:E app:no family:go +app # why',    ['1 exception.type:e frame.app:no family.family:go frame +app']],
])('a stack-trace rule about %s', (_name, text, rules) => {
  expect(parseStackTraceRules(text).problems).toEqual([])
  expect(stackTraces(text)).toEqual(rules)
})

const long = 'x'.repeat(201)
describe('what is refused is told with its place', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['no arrow',               'type:A',                        7,  'needs `->`'],
    ['no matcher',             '-> a',                          1,  'needs a matcher'],
    ['no fingerprint',         'type:A ->',                     10, 'needs a fingerprint'],
    ['only a title',           'type:A -> title="x"',           20, 'needs a fingerprint'],
    ['an unknown matcher',     'type:A kind:B -> a',            8,  '"kind" is no matcher; there are: type'],
    ['no glob',                'type: -> a',                    6,  'needs a glob'],
    ['a long glob',            `type:${long} -> a`,             6,  'at most 200'],
    ['a word that is none',    'type:A hello -> a',             8,  'key:glob'],
    ['a quoted matcher',       '"type:A" -> a',                 1,  'key:glob'],
    ['an open quote',          'type:"A -> a',                  6,  'end with `"`'],
    ['an open variable',       'type:A -> {{ type',             11, 'end with `}}`'],
    ['an unknown variable',    'type:A -> {{ nothing }}',       11, '{{ nothing }} is no variable; there are: default'],
    ['a variable in a text',   'type:A -> a{{ type }}',         11, 'part of its own'],
    ['an unknown attribute',   'type:A -> a level="x"',         13, 'only title'],
    ['an empty title',         'type:A -> a title=" "',         13, 'must not be empty'],
    ['an empty part',          'type:A -> ""',                  11, 'must not be empty'],
    ['a long part',            `type:A -> ${long}`,             11, 'at most 200'],
    ['app that is neither',    'app:perhaps -> a',              5,  'yes or no'],
    ['an unknown family',      'family:cobol -> a',             8,  '"cobol" is no family'],
    ['a tag without key',      'tags.:a -> a',                  1,  'key of a tag'],
  ])('fingerprint rule: %s', (_name, text, at, rule) => {
    expect(parseFingerprintRules(`# first\n${text}`)).toEqual({
      rules: [],
      problems: [{ line: 2, at, message: expect.stringContaining(rule) }],
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no action',              'function:a',                    11, 'needs an action'],
    ['no matcher',             '+app',                          1,  'needs a matcher'],
    ['an event matcher',       'level:error -app',              1,  'cannot be used in stack-trace rules'],
    ['a tag',                  'tags.a:b -app',                 1,  'cannot be used in stack-trace rules'],
    ['an unknown action',      'function:a -foo',               12, '"-foo" is no action'],
    ['an action not done here', 'function:a max-frames=3',      12, 'is no action'],
    ['a matcher at the end',   'function:a -app module:b',      17, 'only actions'],
    ['no bar',                 '[ function:a ] module:b -app',  16, '`|` is missing'],
    ['an open bracket',        '[ function:a | module:b -app',  14, '`]` is missing'],
    ['empty brackets',         '[ ] | module:b -app',           3,  'no matcher'],
    ['a bracket too many',     'module:b ] -app',               10, 'the form is'],
    ['nothing behind the bar', 'module:b |',                    11, '`[` is missing'],
  ])('stack-trace rule: %s', (_name, text, at, rule) => {
    expect(parseStackTraceRules(`# first\n${text}`)).toEqual({
      rules: [],
      problems: [{ line: 2, at, message: expect.stringContaining(rule) }],
    })
  })
})

test('everything is bounded', () => {
  const many = parseFingerprintRules('type:A -> b\n'.repeat(rulesMax + 5))
  expect([many.rules.length, many.problems[0]]).toMatchObject([rulesMax, { line: rulesMax + 1 }])
  const words = (count: number, word: string) => Array(count).fill(word).join(' ')
  const problemOf = (text: string) => parseFingerprintRules(text).problems[0]?.message
  expect(problemOf(`${words(matchersPerRuleMax + 1, 'type:A')} -> b`)).toContain('matchers')
  expect(problemOf(`type:A -> ${words(fingerprintPartsMax + 1, 'b')}`)).toContain('parts')
  expect(problemOf(`type:A -> ${words(600, 'b')}`)).toContain('1000 characters')
  expect(problemOf('#'.repeat(ruleTextCharactersMax + 1))).toContain('the rest is ignored')
  expect(parseFingerprintRules('x\n'.repeat(8_000)).problems).toHaveLength(50)
})

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    ...[
      'type:A',
      'path:**/a/*',
      '->',
      '{{ type }}',
      '{{',
      '}}',
      '"',
      '\\',
      '[',
      ']',
      '|',
      ' ',
      ',',
    ],
    ...['+app', '-group', '^-app', '\n', '#', '!', 'tags.a:b', 'title="x"', 'family:go', '\0'],
  ),
)
test('no text makes a parser throw, and places are within their line', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const lines = text.split('\n')
      for (const { rules, problems } of [parseFingerprintRules(text), parseStackTraceRules(text)]) {
        for (const { line, at } of problems) {
          expect(at).toBeGreaterThanOrEqual(1)
          expect(at).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1)
        }
        // A valid line stays the same rule wherever it stands.
        for (const { line, source } of rules) {
          expect((lines[line - 1] ?? '').trim()).toBe(source)
        }
      }
    }),
    { numRuns: 2_000 },
  )
})
