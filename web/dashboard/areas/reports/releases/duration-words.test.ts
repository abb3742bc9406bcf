import { expect, test } from 'vitest'
import { durationWords } from './duration-words.ts'

// biome-ignore format: the columns are the point
test.each([
  [0,          '0 s'],
  [-5,         '0 s'],
  [59_000,     '59 s'],
  [60_000,     '1 min'],
  [200_500,    '3 min 20 s'],
  [7_500_000,  '2 h 5 min'],
  [90_000_000, '25 h'],
])('%d ms: %s', (ms, want) => {
  expect(durationWords(ms)).toBe(want)
})
