import { describe, expect, test } from 'vitest'
import { changeOfAttribs, rowsOfAttribs, textOfValue, valueOfText } from './attribs.ts'

describe('attributes as texts', () => {
  test.each([
    ['London', 'London'],
    [3, '3'],
    [-2.5, '-2.5'],
    [true, 'true'],
    ['3', '"3"'],
    ['true', '"true"'],
    ['"quoted"', '"\\"quoted\\""'],
    ['007', '007'],
    ['', ''],
    ['a\nb', 'a\nb'],
    ['<script>', '<script>'],
  ])('%j is typed as %s and read back', (value, text) => {
    expect(textOfValue(value)).toBe(text)
    expect(valueOfText(text)).toBe(value)
  })

  test('long numbers stay texts, because they would lose digits', () => {
    expect(valueOfText('12345678901234567890')).toBe('12345678901234567890')
  })

  test('only what changed is sent', () => {
    const before = { city: 'London', plan: 'pro', age: 3 }
    const rows = [
      { key: 'city', text: 'London' },
      { key: 'age', text: '4' },
      { key: ' team ', text: 'red' },
      { key: '', text: 'no key' },
    ]
    expect(changeOfAttribs(before, rows)).toEqual({ age: 4, team: 'red', plan: null })
    expect(changeOfAttribs(before, rowsOfAttribs(before))).toEqual({})
  })
})
