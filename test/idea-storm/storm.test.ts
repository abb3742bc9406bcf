import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStores, type TestStores } from '../stores.ts'
import { runStorm } from './storm.ts'

const seed = 20_261_121
let stores: TestStores | undefined

beforeAll(async () => {
  stores = await startStores()
}, 60_000)
afterAll(() => stores?.stop())

/** `npm run test:storm` makes 50,000 moves. */
test(`after a storm of 3,000 moves every count is what counting gives (seed ${seed})`, async () => {
  const { postgresUrl } = stores!
  const { moves, mistakes } = await runStorm({ postgresUrl, seed, moveCount: 3_000 })
  expect(mistakes).toEqual([])
  expect(Object.keys(moves).sort()).toEqual([
    ...['change', 'merge', 'moderate', 'unmerge', 'unvote', 'vote'],
  ])
})
