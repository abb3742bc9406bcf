// cspell:ignore Jaaaaaaaa bcdfghjkl bcdfg
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildEvent,
  type EventInShort,
  type FrameInShort,
} from '../../test/fixtures/grouping/build-event.ts'
import { firstDifference } from './explain/explain-difference.ts'
import { groupEvent } from './group-v1.ts'
import { type HashDomain, type PieceKind, piece, serializePieces } from './pieces.ts'
import { parameterizeUncached } from './text/parameterize.ts'

// cspell:ignore listcomp

const runs = { seed: 20_261_121, numRuns: 300 }

const word = fc.constantFrom('cart', 'add', 'item', 'run', 'a', '', 'main.4f3c2a1b', '<T>', '?')
const platform = fc.constantFrom('python', 'javascript', 'node', 'java', 'native', 'go', 'php', 'x')
const frame: fc.Arbitrary<FrameInShort> = fc.record({
  function: word,
  module: word,
  filename: word,
  contextLine: word,
  lineno: fc.nat(5000),
  colno: fc.nat(80),
  inApp: fc.constantFrom(true, false, undefined),
})
const exception = fc.record({
  type: fc.constantFrom('KeyError', 'ValueError', ''),
  value: fc.string({ maxLength: 30, unit: 'binary' }),
  frames: fc.array(frame, { maxLength: 8 }),
})
const event: fc.Arbitrary<EventInShort> = fc.record(
  {
    platform,
    transaction: word,
    exceptions: fc.array(exception, { maxLength: 3 }),
    threads: fc.array(
      fc.record({ crashed: fc.boolean(), frames: fc.array(frame, { maxLength: 4 }) }),
      { maxLength: 2 },
    ),
    frames: fc.array(frame, { maxLength: 4 }),
    fingerprint: fc.array(
      fc.constantFrom('{{ default }}', '{{ type }}', '{{tags.a}}', 'db', '{{ x }}'),
      { maxLength: 3 },
    ),
    message: fc.record({
      template: fc.constant(undefined),
      formatted: fc.string({ maxLength: 30 }),
    }),
  },
  { requiredKeys: [] },
)

function alike(short: EventInShort, lineno: number): EventInShort {
  const exceptions = (short.exceptions ?? []).map((one) => ({
    ...one,
    value: `${one.value ?? ''} ${lineno}`,
    frames: [
      ...(one.frames ?? []).map((frame) => ({ ...frame, lineno })),
      { module: 'lib', function: 'call', inApp: false },
    ],
  }))
  return { ...short, exceptions }
}

function hashesOf(short: EventInShort): string[] {
  return groupEvent(buildEvent(short)).hashes.map(({ hash }) => hash)
}

describe('properties', () => {
  test('the same event has the same hashes, and every hash is explained under its own name', () => {
    fc.assert(
      fc.property(event, (short) => {
        const grouping = groupEvent(buildEvent(short))
        expect(groupEvent(buildEvent(structuredClone(short))).hashes).toEqual(grouping.hashes)
        const { variants, summary, path } = grouping.explain()
        expect(variants.map(({ name, hash }) => ({ variant: name, hash }))).toEqual(grouping.hashes)
        expect(path).toBe(grouping.path)
        expect(summary).toMatch(/^Grouped by .+\.$/)
      }),
      runs,
    )
  })

  test('line and column numbers do not matter', () => {
    fc.assert(
      fc.property(event, fc.nat(400), (short, shift) => {
        const moved = (frames: readonly FrameInShort[] = []) =>
          frames.map((one) => ({ ...one, lineno: shift, colno: shift }))
        const other: EventInShort = {
          ...short,
          frames: moved(short.frames),
          exceptions: (short.exceptions ?? []).map((one) => ({
            ...one,
            frames: moved(one.frames),
          })),
          threads: (short.threads ?? []).map((one) => ({ ...one, frames: moved(one.frames) })),
        }
        expect(hashesOf(other)).toEqual(hashesOf(short))
      }),
      runs,
    )
  })

  test('a library frame added anywhere leaves the hash of the in-app frames', () => {
    const own = frame.map((one) => ({ ...one, module: one.module || 'shop', inApp: true }))
    fc.assert(
      fc.property(fc.array(own, { minLength: 1, maxLength: 8 }), fc.nat(8), (frames, at) => {
        const library = { module: 'lib', function: 'call', inApp: false }
        const more = frames.toSpliced(at, 0, library)
        const stackOf = (list: readonly FrameInShort[]) =>
          groupEvent(buildEvent({ platform: 'python', exceptions: [{ type: 'E', frames: list }] }))
        expect(stackOf(more).hashes[0]).toEqual(stackOf(frames).hashes[0])
      }),
      runs,
    )
  })

  test('a frame that is ignored changes no hash', () => {
    const ignored: readonly (readonly [string, FrameInShort])[] = [
      ['python', { module: 'threading', function: 'run', inApp: true }],
      ['python', { module: 'logging', function: 'exception', inApp: true }],
      ['python', { module: 'shop', function: '<listcomp>', inApp: true }],
      ['javascript', { function: 'Array.map', filename: '<anonymous>', inApp: true }],
      ['javascript', { function: 'asyncGeneratorStep', filename: 'app.js', inApp: true }],
      ['java', { module: 'android.app.ActivityThread', function: 'main', inApp: true }],
      ['java', { module: 'org.slf4j.Logger', function: 'error', inApp: true }],
      ['native', { function: 'UIApplicationMain', package: 'UIKitCore', inApp: true }],
      ['native', { function: '__libc_start_main_impl', package: '/srv/shop', inApp: true }],
      ['native', { function: 'std::panicking::catch_unwind::<u8>', inApp: true }],
      ['go', { module: 'runtime', function: 'goexit', inApp: true }],
    ]
    const own: fc.Arbitrary<FrameInShort> = frame.map((one) => ({
      ...one,
      module: 'shop',
      function: one.function || 'f',
    }))
    const frames = fc.array(own, { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...ignored), frames, fc.nat(8), ([platform, extra], list, at) => {
        const of = (all: readonly FrameInShort[]) =>
          hashesOf({ platform, exceptions: [{ type: 'E', frames: all }] })
        expect(of(list.toSpliced(at, 0, extra))).toEqual(of(list))
      }),
      runs,
    )
  })

  test('a difference is reported exactly when no hash is shared', () => {
    fc.assert(
      fc.property(event, event, (left, right) => {
        const shared = hashesOf(left).some((hash) => hashesOf(right).includes(hash))
        const explain = (short: EventInShort) => groupEvent(buildEvent(short)).explain()
        expect(firstDifference(explain(left), explain(right)) === undefined).toBe(shared)
      }),
      runs,
    )
  })

  test('one hash shows the same pieces in every event, and two hashes never do', () => {
    fc.assert(
      fc.property(event, fc.option(event), fc.nat(9), (left, other, lineno) => {
        // Most often the second event is the first one with another line and other variable parts.
        const right = other ?? alike(left, lineno)
        const shown = new Map<string, string>()
        for (const short of [left, right]) {
          const grouping = groupEvent(buildEvent(short))
          for (const one of [grouping, grouping.coarsen(), grouping.coarsen().coarsen()]) {
            for (const { hash, pieces } of one.explain().variants) {
              const text = JSON.stringify(pieces)
              expect(shown.get(hash) ?? text).toBe(text)
              shown.set(hash, text)
            }
          }
        }
        expect(new Set(shown.values()).size).toBe(shown.size)
      }),
      { ...runs, numRuns: 3000 },
    )
  })

  test('pieces that are cut or left out of an explanation still tell hashes apart', () => {
    const frames = (last: string) => [
      ...Array.from({ length: 28 }, (_, index) => ({
        module: index === 0 ? last : `m${index}`,
        function: `f${index}`,
        inApp: true,
      })),
    ]
    const events: EventInShort[] = [
      { exceptions: [{ type: 'E', frames: frames('a') }] },
      { exceptions: [{ type: 'E', frames: frames('b') }] },
      { message: { template: undefined, formatted: `${'word '.repeat(200)}a` } },
      { message: { template: undefined, formatted: `${'word '.repeat(200)}b` } },
      { checksum: 'x'.repeat(600) },
      { checksum: `${'x'.repeat(600)}y` },
    ]
    const shown = events.map((short) =>
      JSON.stringify(groupEvent(buildEvent(short)).explain().variants[0]?.pieces),
    )
    expect(new Set(shown).size).toBe(events.length)
  })

  test('two different lists of pieces never have the same bytes', () => {
    const kind = fc.constantFrom<PieceKind>('type', 'module', 'function', 'value')
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'é', '\u0001', '\u0002'), maxLength: 4 }),
      fc.constantFrom('a'.repeat(127), 'a'.repeat(128), 'é'.repeat(64), 'b'.repeat(30_000)),
    )
    const list = fc.array(fc.tuple(kind, value), { maxLength: 4 })
    const domain = fc.constantFrom<HashDomain>('stack', 'message', 'custom')
    const bytes = (of: HashDomain, pairs: [PieceKind, string][]) =>
      Buffer.from(
        serializePieces(
          of,
          pairs.map((pair) => piece(...pair)),
        ),
      ).toString('hex')
    fc.assert(
      fc.property(domain, list, domain, list, (domainA, listA, domainB, listB) => {
        const same = JSON.stringify([domainA, listA]) === JSON.stringify([domainB, listB])
        expect(bytes(domainA, listA) === bytes(domainB, listB)).toBe(same)
      }),
      { ...runs, numRuns: 2000 },
    )
    expect(
      bytes('stack', [
        ['type', 'ab'],
        ['type', 'c'],
      ]),
    ).not.toBe(
      bytes('stack', [
        ['type', 'a'],
        ['type', 'bc'],
      ]),
    )
  })

  test('replacing variable parts twice is replacing them once', () => {
    const part = fc.constantFrom(
      '1',
      '-5',
      '2.5',
      'a',
      'x1',
      '.',
      '-',
      ':',
      ' ',
      '=',
      '"',
      "'",
      '@',
      '/',
      '_',
      '+',
      '://',
      'com',
      'true',
      '0x1f',
      '4f3c2a1b',
      '10:11:12',
      '2026-11-20',
      'Nov',
      'ms',
      'fe80::1',
      '12345678',
      'e5',
      'tx',
      '<number>',
      '(',
      '%',
      '/',
      '/home/',
      '.png',
      '.py',
      '?a=',
      '{"',
      '":',
      '}',
      ',',
      ', ',
      'value ',
      'user ',
      'open ',
      'error ',
      'code: ',
      'HTTP ',
      'status=',
      'got ',
      '404',
      'Not Found',
      'select ',
      ' from ',
      ' in (',
      ')',
      'savepoint ',
      '/*',
      'x2k9q',
      '7d4b9c6f5d',
      'Mon ',
      '::ffff:',
      '10.0.0.1',
      'PT5M',
      'KB',
      'C:\\',
      'cus_',
      '9s6XKzkNRiz8i3',
      'eyJ',
      '\n',
    )
    const text = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (raw) => {
        const once = parameterizeUncached(raw, undefined)
        expect(parameterizeUncached(once, undefined)).toBe(once)
      }),
      { ...runs, numRuns: 20_000 },
    )
  })

  test('a text that is skipped because it has no digits has nothing to replace', () => {
    const part = fc.constantFrom(
      'deadbeef',
      'aa',
      ':',
      '-',
      'com',
      '.',
      'a',
      'Class',
      'true',
      '=',
      '"',
      'Nov',
      ' ',
      '@',
      '://',
      'tx',
      '/',
      '_',
      'é',
      '\\',
      '?a=',
      'eyJaaaaaaaa',
      '.aa',
      'PT',
      'value ',
      'bcdfghjkl-bcdfg',
      'ff:ff',
      "'",
      '~',
    )
    const text = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (raw) => {
        const alone = parameterizeUncached(raw, undefined)
        expect(parameterizeUncached(`${raw} (1`, undefined)).toBe(`${alone} (<number>`)
      }),
      { ...runs, numRuns: 5000 },
    )
  })
})
