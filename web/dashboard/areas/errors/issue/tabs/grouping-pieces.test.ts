import { describe, expect, test } from 'vitest'
import { pieceRows, replacedText } from './grouping-pieces.ts'

describe('the rows of an explanation', () => {
  test('module and function are one frame, nearest the failure first', () => {
    expect(
      pieceRows([
        ['type', 'ValueError'],
        ['module', 'shop.cart'],
        ['function', 'add'],
        ['file', 'main.py'],
        ['context', 'run()'],
        ['function', 'loop'],
        ['type', 'KeyError'],
        ['module', 'shop.db'],
      ]),
    ).toEqual([
      { label: 'Exception type', value: 'ValueError' },
      { label: 'Failed in', value: 'shop.cart in add' },
      { label: 'Called by', value: 'main.py in run()' },
      { label: 'Called by', value: 'loop' },
      { label: 'Further exception', value: 'KeyError' },
      { label: 'Failed in', value: 'shop.db' },
    ])
  })

  test('a kind that this page does not know is shown under its own name', () => {
    expect(pieceRows([['phase', 'moon']])).toEqual([{ label: 'phase', value: 'moon' }])
  })

  test.each([[[null]], [['x']], [[[]]], [[{}]], [[['type']]], [[[1, 2]]]])(
    'a piece of another shape does no harm: %j',
    (pieces) => {
      expect(() => pieceRows(pieces)).not.toThrow()
    },
  )
})

test('replaced parts are named in words, also those of earlier versions', () => {
  expect(
    replacedText([
      { kind: 'number', count: 2 },
      { kind: 'git_sha', count: 1 },
      { kind: 'other', count: 1 },
    ]),
  ).toBe('2 × number, 1 × hexadecimal id, 1 × other')
})
