/** No symbol makes demangling throw, run without an end, or write a name of unbounded length. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { demangle } from './demangle.ts'

// cspell:disable

const runs = { seed: 20_261_128, numRuns: 3000 }
const lengthMax = 2048
const real = ['rust-v0', 'rust-legacy', 'itanium', 'msvc'].flatMap((name) =>
  Object.keys(
    JSON.parse(readFileSync(`test/fixtures/symbols/${name}.json`, 'utf8')) as Record<
      string,
      string
    >,
  ),
)
const realSymbol = fc.constantFrom(...real)

function expectBounded(symbol: string): void {
  const name = demangle(symbol)
  if (name !== symbol) expect(name.length).toBeLessThan(lengthMax)
}

test('text after a prefix', () => {
  const units = fc.constantFrom(
    ...'_ZRNICEKSTBMXYFDLJPOAQVUWGHabcdefilmnprstuvxyz0123456789$?<>.@ é\0\ud800',
  )
  const prefix = fc.constantFrom(
    '_Z',
    '_ZN',
    '_ZZ',
    '_R',
    '_RNv',
    '__Z',
    '___Z',
    '_RIN',
    '_ZTv',
    '?a@@YAX',
    '??$a@',
    '?a@?$b@',
    '??0',
    '?a@?1??b@',
  )
  fc.assert(
    fc.property(prefix, fc.string({ unit: units, maxLength: 80 }), (start, rest) =>
      expectBounded(start + rest),
    ),
    runs,
  )
})

test('a real symbol that was cut, or with a part of another one', () => {
  fc.assert(
    fc.property(realSymbol, realSymbol, fc.nat(), fc.nat(), (left, right, cut, from) => {
      expectBounded(left.slice(0, cut % left.length))
      expectBounded(left.slice(0, cut % left.length) + right.slice(from % right.length))
    }),
    runs,
  )
})

test('a real symbol with another character somewhere', () => {
  fc.assert(
    fc.property(
      realSymbol,
      fc.nat(),
      fc.constantFrom(...'SBTEI_0Z9JXL?$@P8'),
      (symbol, at, unit) => {
        const index = at % symbol.length
        expectBounded(symbol.slice(0, index) + unit + symbol.slice(index + 1))
      },
    ),
    runs,
  )
})

// Each doubles what it refers to, or nests itself, so that reading it to the end would not end.
const doubling = (count: number) => {
  let types = 'T'
  let at = 'NvC1aINvC1a1f'.length
  for (let index = 0; index < count; index++) {
    const reference = `B${at.toString(36)}_`
    at += types.length
    types = `T${reference}${reference}E`
  }
  return types
}
test.each([
  ['nested types of Rust', `_RINvC1a1f${'R'.repeat(8000)}hE`],
  ['nested paths of Rust', `_R${'Nv'.repeat(4000)}C1a`],
  ['lists of Rust in lists', `_RINvC1a1f${'T'.repeat(4000)}${'E'.repeat(4001)}`],
  ['references that double', `_RINvC1a1f${doubling(200)}E`],
  ['a reference to a list that holds it', `_RINvC1a1fTB8_B8_B8_B8_EE`],
  ['many lifetimes', `_RINvC1a1fFGzzzz_EuE`],
  ['nested pointers of C++', `_Z1f${'P'.repeat(8000)}i`],
  ['nested scopes of C++', `_Z${'N1a'.repeat(2000)}1f${'E'.repeat(2000)}v`],
  ['nested functions of C++', `_Z${'Z1f'.repeat(2000)}v${'E1g'.repeat(2000)}`],
  ['nested arguments of C++', `_Z1f${'I1a'.repeat(2000)}${'E'.repeat(2000)}v`],
  [
    'types of C++ that double',
    `_Z1f1aI1bS_E${Array.from({ length: 300 }, (_, at) => `1aIS${(at + 1).toString(36).toUpperCase()}_S${(at + 1).toString(36).toUpperCase()}_E`).join('')}`,
  ],
  ['nested expressions of C++', `_Z1fIX${'pl'.repeat(3000)}E`],
  ['nested pointers of Microsoft', `?f@@YAX${'PEA'.repeat(2600)}H@Z`],
  ['nested templates of Microsoft', `?f@${'?$a@V'.repeat(1500)}b@@${'@@'.repeat(1500)}@YAXXZ`],
  ['templates of Microsoft that double', `?f@?$a@${'V?$b@V0@V1@V2@@@'.repeat(400)}@@YAXXZ`],
  [
    'functions of Microsoft in functions',
    `?f@${'?1??g@'.repeat(1000)}@YAXXZ${'@YAXXZ'.repeat(1000)}`,
  ],
  ['many arguments of Microsoft', `?f@@YAX${'PEAUa@@'.repeat(1100)}@Z`],
  ['many scopes of Microsoft', `?f${'@a'.repeat(4000)}@@YAXXZ`],
  ['dimensions of Microsoft', `?f@@YAXPEAY${'P@'.repeat(3000)}H@Z`],
  ['a long name', `_ZN8000${'a'.repeat(8000)}Ev`],
  ['a name beyond the limit', `_ZN4shop${'3add'.repeat(3000)}Ev`],
] as const)('%s', (_name, symbol) => {
  for (let round = 0; round < 20; round++) expectBounded(symbol)
})
