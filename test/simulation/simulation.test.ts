import { expect, test } from 'vitest'
import { simulate } from './simulate.ts'

const seedCount = 150

test('every world satisfies the invariants', async () => {
  const failed: string[] = []
  for (let seed = 1; seed <= seedCount; seed += 1) {
    const { problems } = await simulate(seed, 'hash')
    for (const problem of problems) failed.push(`seed ${seed}: ${problem}`)
  }
  // Trace a failure with: npm run test:simulation -- --seed <seed> --trace
  expect(failed).toEqual([])
})

test.each([3, 54, 60])('seed %d repeats the same run', async (seed) => {
  const first = await simulate(seed, 'trace')
  const second = await simulate(seed, 'trace')
  expect(second.lines).toEqual(first.lines)
  expect(second.hash).toBe(first.hash)
  expect(first.lines.length).toBeGreaterThan(100)
})
