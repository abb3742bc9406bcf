import { expect, test } from 'vitest'
import { PooledSteps, StepPool } from './step-pool.ts'

const share = { ownSteps: 10, stepsMax: 50 }

test('a project uses its own steps first, and then those of the pool up to its limit', () => {
  const pool = new StepPool(100)
  const steps = new PooledSteps(pool, share)
  steps.spend(10)
  expect([steps.isSpent, pool.isSpent]).toEqual([false, false])
  steps.spend(40)
  expect(steps.isSpent).toBe(false)
  steps.spend(1)
  expect([steps.isSpent, pool.isSpent]).toEqual([true, false])
})

test('others that use up the pool leave a project its own steps', () => {
  const pool = new StepPool(30)
  new PooledSteps(pool, share).spend(41)
  expect(pool.isSpent).toBe(true)
  const other = new PooledSteps(pool, share)
  other.spend(10)
  expect(other.isSpent).toBe(false)
  other.spend(1)
  expect(other.isSpent).toBe(true)
})
