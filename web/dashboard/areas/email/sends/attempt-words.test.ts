import { expect, test } from 'vitest'
import { type Attempt, attemptsNotKept, codeOf, placeOf } from './attempt-words.ts'

const place = { server: 'smtp.example.com:587', tls: 'TLSv1.3', phase: 'rcpt' } as const

// biome-ignore format: the columns are the point
test.each([
  [place,                                    'smtp.example.com:587, TLSv1.3, at RCPT TO, the recipient'],
  [{ ...place, tls: null, phase: null },     'smtp.example.com:587, not encrypted'],
  [{ server: null, tls: null, phase: null }, 'Unknown server'],
])('the place of an attempt', (attempt, words) => {
  expect(placeOf(attempt)).toBe(words)
})

test.each([
  [450, '4.2.0', '450 4.2.0'],
  [450, null, '450'],
  [null, null, ''],
])('the code of a reply', (code, enhanced, words) => {
  expect(codeOf({ code, enhanced })).toBe(words)
})

const attempt = (no: number) => ({ no }) as Attempt

test('attempts of which nothing is kept are counted', () => {
  expect(attemptsNotKept(3, [])).toBe(3)
  expect(attemptsNotKept(12, [attempt(3), attempt(4)])).toBe(2)
  expect(attemptsNotKept(1, [attempt(1)])).toBe(0)
})
