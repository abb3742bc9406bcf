import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { CursorTime, CursorUuid, decodeCursor, encodeCursor, pageOfRows } from './cursor.ts'

const seed = 7
const shape = z.tuple([z.literal('count'), z.int(), CursorUuid])

test('an encoded position is decoded to the same value', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.uuid(), (count, id) => {
      const cursor = encodeCursor(['count', count, id])
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(decodeCursor(cursor, shape)).toEqual(['count', count, id])
    }),
    { seed },
  )
})

test('decoding throws only its own error for every text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      try {
        decodeCursor(text, z.tuple([CursorTime, CursorUuid]))
        return false
      } catch (error) {
        return error instanceof CodedError && error.code === 'invalid_cursor'
      }
    }),
    { seed, numRuns: 1000 },
  )
})

test('pages of any size show every row once, in order', () => {
  const rowsOf = fc.uniqueArray(fc.integer(), { maxLength: 30 })
  fc.assert(
    fc.property(rowsOf, fc.integer({ min: 1, max: 10 }), (values, limit) => {
      const rows = values.sort((a, b) => b - a)
      const shown: number[] = []
      let after = Number.POSITIVE_INFINITY
      for (;;) {
        const read = rows.filter((row) => row < after).slice(0, limit + 1)
        const page = pageOfRows(read, limit, (row) => [row])
        shown.push(...page.items)
        const position = decodeCursor(page.next_cursor ?? undefined, z.tuple([z.number()]))
        if (position === undefined) break
        after = position[0]
      }
      expect(shown).toEqual(rows)
    }),
    { seed },
  )
})
