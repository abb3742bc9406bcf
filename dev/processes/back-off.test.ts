import { expect, test } from 'vitest'
import { nextBackOff, noBackOff } from './back-off.ts'

test('the delay doubles with each successive crash, up to ten seconds', () => {
  const delays: number[] = []
  let backOff = noBackOff
  for (let crash = 0; crash < 8; crash++) {
    backOff = nextBackOff(backOff, 59_999)
    delays.push(backOff.delayMs)
  }
  expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

test('the delay is reset after a process was up for a minute', () => {
  expect(nextBackOff({ delayMs: 10_000 }, 60_000)).toEqual({ delayMs: 250 })
})
