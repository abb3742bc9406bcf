/**
 * Events that nobody means well with, through normalising, rules, grouping and its explanation:
 * nothing throws, and what is shown stays bounded and true.
 */
// cspell:ignore anonfun

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { groupEvent } from './group-v1.ts'
import type { Grouping } from './grouping.ts'
import { GroupingRules } from './rules/grouping-rules.ts'

const runs = { seed: 20_261_128, numRuns: 300 }
const rules = GroupingRules.of({
  fingerprint_rules: [
    'type:Special* -> special, {{ default }}, {{ stack.function }}',
    'function:*<T>* -> {{ default }}',
    'message:*x*y*z* !level:info -> xyz title="{{ error.type }} {{ tags.a }}"',
  ].join('\n'),
  stack_trace_rules: [
    'path:**/a/** +app',
    'function:*a*b*c* -app v-group',
    '[ module:*x* ] | function:* +group',
    'app:yes ^-app',
  ].join('\n'),
})

function group(sent: unknown, by: GroupingRules | undefined): Grouping | undefined {
  const normalized = normalizeEvent({
    payload: typeof sent === 'string' ? Buffer.from(sent) : Buffer.from(JSON.stringify(sent)),
    eventId: '9ec79c33ec9942ab8353589fcb2e04dc' as EventId,
    receivedAtMs: Date.UTC(2026, 10, 21),
  })
  return normalized.kind === 'event' ? groupEvent(normalized.event, by) : undefined
}

/** All that is shown of a grouping, also of the coarser ones; adds pieces by their hash. */
function look(grouping: Grouping | undefined, shown: Map<string, string>): void {
  if (grouping === undefined) return
  expect(grouping.title.length).toBeLessThanOrEqual(256)
  expect(grouping.culprit.length).toBeLessThanOrEqual(200)
  for (const one of [grouping, grouping.coarsen()]) {
    const { variants } = one.explain()
    expect(variants.map(({ hash }) => hash)).toEqual(one.hashes.map(({ hash }) => hash))
    for (const { hash, pieces, skipped } of variants) {
      expect(pieces.length).toBeLessThanOrEqual(40)
      expect(skipped.length).toBeLessThanOrEqual(20)
      const text = JSON.stringify(pieces)
      expect(shown.get(hash) ?? text).toBe(text)
      shown.set(hash, text)
    }
  }
}

const wild = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 20,
})
const piecesOfNames = fc.constantFrom(
  ...[
    '::',
    '<',
    '>',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '$',
    '.',
    '#',
    '@',
    '&',
    '*',
    ' ',
    '-',
    '+',
    '/',
  ],
  ...[
    'operator',
    'lambda',
    '{closure#0}',
    '<T>',
    ' as ',
    ' for ',
    'impl ',
    '$anonfun$',
    '__',
    'func1',
  ],
  ...[
    '_ZN',
    '_R',
    '17h0123456789abcdefE',
    'E',
    'v',
    '\0',
    '\ud800',
    '\udc00',
    'é',
    '0x',
    '1',
    '99',
  ],
  ...[
    'block in ',
    '<>c__DisplayClass',
    'b__',
    'd__',
    '-[',
    '[clone ',
    '{{closure}}',
    'node_modules/',
  ],
  ...['.min.js', 'chunk-', '?', '\\', 'webpack:///', 'http://h/', 'async ', 'closure #1 in ', 'a'],
)
const name = fc.oneof(
  {
    arbitrary: fc.array(piecesOfNames, { maxLength: 12 }).map((parts) => parts.join('')),
    weight: 3,
  },
  wild,
  fc
    .tuple(piecesOfNames, fc.constantFrom(50, 700, 5000))
    .map(([part, count]) => part.repeat(count)),
)
const wrong = fc.constantFrom<unknown>(null, true, 0, -1, 1e300, [], {}, ['a'], { a: 1 }, '')
const maybe = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ arbitrary: good, weight: 6 }, { arbitrary: wrong, weight: 1 })
const frame = fc.record(
  {
    function: maybe(name),
    module: maybe(name),
    filename: maybe(name),
    abs_path: maybe(name),
    package: maybe(name),
    context_line: maybe(name),
    in_app: maybe(fc.boolean()),
    platform: maybe(fc.constantFrom('native', 'javascript', 'java', 'x')),
    lineno: maybe(fc.integer()),
    colno: maybe(fc.integer()),
    instruction_addr: maybe(fc.constantFrom('0x1f40', '0xffffffffffffffff', 'zz', '-1')),
  },
  { requiredKeys: [] },
)
const stack = maybe(fc.record({ frames: maybe(fc.array(maybe(frame), { maxLength: 10 })) }))
const platforms = ['python', 'javascript', 'node', 'java', 'native', 'cocoa', 'go', 'php', 'ruby']
const event = fc.record(
  {
    platform: maybe(fc.constantFrom(...platforms, 'csharp', 'elixir', 'dart', 'other')),
    message: maybe(name),
    transaction: maybe(name),
    checksum: maybe(name),
    fingerprint: maybe(fc.array(maybe(fc.constantFrom('{{ default }}', '{{ type }}', 'x', '{{')))),
    exception: maybe(
      fc.record({
        values: maybe(
          fc.array(
            maybe(
              fc.record(
                {
                  type: maybe(fc.oneof(name, fc.constantFrom('SpecialError', 'E'))),
                  value: maybe(name),
                  module: maybe(name),
                  stacktrace: stack,
                  mechanism: maybe(
                    fc.record({ type: maybe(name), synthetic: maybe(fc.boolean()), meta: wrong }),
                  ),
                },
                { requiredKeys: [] },
              ),
            ),
            { maxLength: 3 },
          ),
        ),
      }),
    ),
    threads: maybe(
      fc.array(fc.record({ crashed: maybe(fc.boolean()), stacktrace: stack }), { maxLength: 2 }),
    ),
    stacktrace: stack,
    tags: maybe(fc.dictionary(name, maybe(name), { maxKeys: 2 })),
  },
  { requiredKeys: [] },
)

test('hostile events are grouped and explained; one hash shows the same pieces in every event', () => {
  const shown = new Map<string, string>()
  fc.assert(
    fc.property(event, (sent) => {
      look(group(sent, undefined), shown)
      look(group(sent, rules), shown)
    }),
    runs,
  )
  expect(new Set(shown.values()).size).toBe(shown.size)
})

/** Names of which reading each character in turn would take quadratic time. */
const long = [
  ...[
    '(',
    '<',
    '[',
    '{',
    '$',
    '.',
    '::',
    '<T>',
    '()',
    '{{closure}}',
    'operator<',
    "'lambda",
    ' in ',
  ],
  ...[
    'block in ',
    '<>c',
    '__',
    '-[',
    '.func1',
    '$anonfun$',
    '::{closure#0}',
    '_$',
    '@1',
    '/',
    '-',
    '%',
  ],
  ...[
    '_ZN1a',
    '_RNv',
    'Nv',
    '1aE',
    '\0',
    '\ud800',
    '[clone ',
    ' as ',
    '<impl ',
    '&',
    '~',
    '\\',
    '4f3c2a1b-',
  ],
]
const manyFrames = (count: number, at: (index: number) => unknown) => ({
  frames: Array.from({ length: count }, (_, index) => at(index)),
})

describe.each(['native', 'javascript', 'java', 'python', 'csharp', 'ruby', 'php', 'go', 'elixir'])(
  'long stacks and names: %s',
  (platform) => {
    test.each(long)('%j', (part) => {
      const text = part.repeat(Math.ceil(3000 / JSON.stringify(part).length))
      const each = { function: text, module: text, filename: text, abs_path: text, package: text }
      const stacktrace = manyFrames(40, (index) => ({ ...each, lineno: index, context_line: text }))
      const values = [{ type: text, value: text, stacktrace }]
      const shown = new Map<string, string>()
      look(group({ platform, exception: { values }, transaction: text }, rules), shown)
      expect(shown.size).toBeGreaterThan(0)
    })

    test.each([
      ['one frame that calls itself', 5000, () => 0],
      ['two frames that call each other', 5000, (index: number) => index % 2],
      ['a cycle of seven frames', 5000, (index: number) => index % 7],
      ['frames of which none is like another', 5000, (index: number) => index],
    ] as const)('%s', (_name, count, at) => {
      const stacktrace = manyFrames(count, (index) => ({
        function: `f${at(index)}`,
        module: `m${at(index)}`,
        in_app: true,
      }))
      const shown = new Map<string, string>()
      const grouping = group(
        { platform, exception: { values: [{ type: 'E', stacktrace }] } },
        rules,
      )
      look(grouping, shown)
      expect(grouping?.hashes.length).toBeGreaterThan(0)
    })
  },
)

test('recursion of another depth is one issue', () => {
  const recursion = (depth: number) =>
    group(
      {
        platform: 'python',
        exception: {
          values: [
            {
              type: 'RecursionError',
              stacktrace: manyFrames(depth, (index) => ({
                function: index === 0 ? 'main' : 'visit',
                module: 'app',
                in_app: true,
              })),
            },
          ],
        },
      },
      undefined,
    )
  expect(recursion(1000)?.hashes).toEqual(recursion(12)?.hashes)
})
