import { expect, test } from 'vitest'
import type { Pool } from '../postgres.ts'
import { checkPooling, PoolingError } from './check-pooling.ts'
import { isUnreachable } from './retry-at-start.ts'

/** A pool whose connections have these server processes. Counts those that are not returned. */
function poolOf(...pids: (number | Error)[]) {
  const state = { out: 0, at: 0 }
  const pool = {
    connect: async () => {
      const pid = pids[state.at++]
      if (pid instanceof Error) throw pid
      state.out += 1
      return {
        query: async () => ({ rows: [{ pid }] }),
        release: () => {
          state.out -= 1
        },
      }
    },
  }
  return { pool: pool as unknown as Pool, state }
}

test('two server processes are two connections', async () => {
  const { pool, state } = poolOf(7, 8)
  await checkPooling(pool)
  expect(state.out).toBe(0)
})

test('one server process for two connections is a pooler in transaction mode', async () => {
  const { pool, state } = poolOf(7, 7)
  await expect(checkPooling(pool)).rejects.toThrow(/transaction mode.*pool_mode = session/)
  expect(state.out).toBe(0)
})

test.each([0, 1])('a pooler that refuses parameters is named, at connection %d', async (at) => {
  const refusal = new Error('unsupported startup parameter: statement_timeout')
  const { pool, state } = poolOf(...[7, 8].map((pid, index) => (index === at ? refusal : pid)))
  const error = await checkPooling(pool).catch((one: unknown) => one)
  expect(error).toBeInstanceOf(PoolingError)
  expect(String(error)).toContain('ignore_startup_parameters')
  expect(state.out).toBe(0)
})

test('a refused parameter is not retried, and a server that is away is', async () => {
  const code = (value: string) => Object.assign(new Error('x'), { code: value })
  const refusal = Object.assign(new Error('unsupported startup parameter: x'), { code: '08P01' })
  const error = await checkPooling(poolOf(refusal).pool).catch((one: unknown) => one)
  expect(isUnreachable(error)).toBe(false)
  expect(isUnreachable(code('08006'))).toBe(true)
})
