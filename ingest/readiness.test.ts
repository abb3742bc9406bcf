import { expect, test } from 'vitest'
import { acceptsEvents } from './readiness.ts'

// biome-ignore format: the columns are the point
test.each([
  // log    NATS   it stores  draining  ready
  [true,  true,  true,      false,    true],
  [true,  true,  false,     false,    true],
  [true,  false, false,     false,    true],
  [false, true,  true,      false,    true],
  [false, true,  false,     false,    false],
  [false, false, true,      false,    false],
  [false, false, false,     false,    false],
  [true,  true,  true,      true,     false],
  [true,  false, false,     true,     false],
] as const)(
  'log %s, NATS %s, which stores frames %s, draining %s: ready %s',
  (log, nats, stores, isDraining, isReady) => {
    const available = { log, nats }
    const state = { load: { isDraining }, courier: { isAway: !stores } }
    expect(acceptsEvents((name) => available[name], state)).toBe(isReady)
  },
)
