import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeUnreal, type UnrealParts } from '../../test/fixtures/minidump/make-unreal.ts'
import { readUnreal } from './read-unreal.ts'
import { readUnrealContext } from './unreal-context.ts'

const parts: UnrealParts = [
  ['UE4Minidump.dmp', 'MDMP'],
  ['CrashContext.runtime-xml', '<a/>'],
  ['Shop.log', 'line\n'],
]

test.each(['CR1', 'old'] as const)('the files of a report of the form %s', (form) => {
  const files = readUnreal(inflateSync(makeUnreal(parts, form)))
  expect(files?.map(({ name, content }) => [name, content.toString()])).toEqual(parts)
})

test('lengths that lie give nothing', () => {
  const bytes = inflateSync(makeUnreal(parts))
  fc.assert(
    fc.property(
      fc.nat(bytes.length - 4),
      fc.integer(),
      fc.nat(bytes.length),
      (at, value, length) => {
        const changed = Buffer.from(bytes.subarray(0, length))
        if (at + 4 <= changed.length) changed.writeInt32LE(value | 0, at)
        const files = readUnreal(changed) ?? []
        expect(files.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(
          bytes.length,
        )
      },
    ),
    { seed: 20261123, numRuns: 3_000 },
  )
  expect(readUnreal(Buffer.alloc(0))).toBeUndefined()
  expect(readUnreal(Buffer.alloc(1_000, 0xff))).toBeUndefined()
})

test('what the context says', () => {
  const xml =
    '<FGenericCrashContext><RuntimeProperties><CrashType>Crash</CrashType>' +
    '<ErrorMessage>a &lt; b &amp;lt;</ErrorMessage><EngineVersion>5.4.1</EngineVersion></RuntimeProperties>' +
    '<GameData><__sentry>{"release":"shop@1"}</__sentry></GameData></FGenericCrashContext>'
  expect(readUnrealContext(Buffer.from(xml))).toMatchObject({
    logentry: { formatted: 'a < b &lt;' },
    release: 'shop@1',
    contexts: { unreal: { crash_type: 'Crash', engine_version: '5.4.1' } },
  })
  expect(readUnrealContext(Buffer.from('<ErrorMessage>'.repeat(10_000)))).toEqual({
    contexts: { unreal: { type: 'unreal' } },
  })
})
