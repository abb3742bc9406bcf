import { describe, expect, test } from 'vitest'
import { dashed, normalizeEventId, undashed } from './ids.ts'

const hex = '5f0c1d2e3a4b4c5d8e9f001122334455'

// biome-ignore format: the columns are the point
test.each([
  ['plain hex                ', hex,                                              hex],
  ['upper case               ', hex.toUpperCase(),                                hex],
  ['dashed, as Rust sends it ', '5f0c1d2e-3a4b-4c5d-8e9f-001122334455',           hex],
  ['braces, as .NET may      ', '{5F0C1D2E-3A4B-4C5D-8E9F-001122334455}',         hex],
  ['a URN                    ', 'urn:uuid:5f0c1d2e-3a4b-4c5d-8e9f-001122334455',  hex],
  ['space around it          ', ` ${hex}\n`,                                      hex],
  ['the nil id               ', '0'.repeat(32),                                   undefined],
  ['the nil id, dashed       ', '00000000-0000-0000-0000-000000000000',           undefined],
  ['a digit too few          ', hex.slice(1),                                     undefined],
  ['a digit too many         ', `${hex}0`,                                        undefined],
  ['dashes in other places   ', '5f0c1d2e3a4b-4c5d-8e9f-0011-22334455',           undefined],
  ['not hexadecimal          ', `${hex.slice(1)}g`,                               undefined],
  ['empty                    ', '',                                               undefined],
  ['very long                ', 'a'.repeat(100_000),                              undefined],
  ['a number                 ', 17,                                               undefined],
  ['null                     ', null,                                             undefined],
] as const)('an event id is parsed or undefined: %s', (_name, raw, want) => {
  expect(normalizeEventId(raw)).toBe(want)
})

describe('dashes', () => {
  test('are added and removed', () => {
    expect(dashed(hex)).toBe('5f0c1d2e-3a4b-4c5d-8e9f-001122334455')
    expect(undashed(dashed(hex))).toBe(hex)
  })
})
