import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import type { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { authenticateApiKey } from './api-key.ts'
import { hashSecret } from './secret.ts'

const key = `emk_${'k'.repeat(43)}`
const nowMs = 1_000_000

/** A store with this one key, and the times at which its use was noted. */
function storeOf(lastUsedAt: Date | null) {
  const touches: unknown[] = []
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.startsWith('update')) {
      touches.push(values[1])
      return { rows: [] }
    }
    const isKnown = hashSecret(key).equals(values[0] as Buffer)
    return { rows: isKnown ? [{ id: 'key', organizationId: 'organization', lastUsedAt }] : [] }
  }
  const ctx = { pg: { query }, clock: { nowMs: () => nowMs } } as unknown as ApiContext
  return { ctx, touches }
}

function ask(authorization: string | undefined, ctx: ApiContext) {
  const request = { headers: { authorization } } as FastifyRequest
  return authenticateApiKey(request, ctx)
}

test.each([`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`, `Bearer ${key} `])(
  '%j is the key',
  async (header) => {
    const caller = await ask(header, storeOf(null).ctx)
    expect(caller).toEqual({ id: 'key', organizationId: 'organization' })
  },
)

test.each([
  [undefined, 'missing_key'],
  ['', 'missing_key'],
  ['  ', 'missing_key'],
  [key, 'invalid_key'],
  [`Basic ${key}`, 'invalid_key'],
  [`Bearer${key}`, 'invalid_key'],
  [`Bearer ${key} ${key}`, 'invalid_key'],
  ['Bearer', 'invalid_key'],
  [`Bearer emk_${'x'.repeat(43)}`, 'invalid_key'],
  [`Bearer oat_${'k'.repeat(43)}`, 'invalid_key'],
  [`Bearer ${key.toUpperCase()}`, 'invalid_key'],
  [`Bearer ${key}k`, 'invalid_key'],
])('%j is refused', async (header, code) => {
  const error = await ask(header, storeOf(null).ctx).catch((cause: CodedError) => cause)
  expect(error).toMatchObject({ code })
})

test.each([
  ['never', null, 1],
  ['a minute ago', new Date(nowMs - 60_000), 1],
  ['within the minute', new Date(nowMs - 59_999), 0],
])(
  'of a key that was last used %s it is noted as often as it should',
  async (_name, lastUsedAt, times) => {
    const { ctx, touches } = storeOf(lastUsedAt)
    await ask(`Bearer ${key}`, ctx)
    expect(touches).toEqual(Array.from({ length: times }, () => new Date(nowMs)))
  },
)
