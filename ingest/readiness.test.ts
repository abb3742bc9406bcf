import { expect, test } from 'vitest'
import { acceptsEvents } from './readiness.ts'

// biome-ignore format: the columns are the point
test.each([
  // log    nats   draining  ready
  [true,  true,  false,    true],
  [true,  false, false,    true],
  [false, true,  false,    true],
  [false, false, false,    false],
  [true,  true,  true,     false],
  [true,  false, true,     false],
] as const)('log %s, NATS %s, draining %s: ready %s', (log, nats, isDraining, isReady) => {
  const available = { log, nats }
  expect(acceptsEvents((name) => available[name], { isDraining })).toBe(isReady)
})
