import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Place } from '../places/place.ts'
import { readObject } from './read-object.ts'

const placeOf = (get: Place['get']) => ({ get }) as Place
const sha256 = 'a'.repeat(64)

test('an object that the manifest claims to be huge is not read', async () => {
  const place = placeOf(() => expect.fail('it was read'))
  const found = await readObject(place, { sha256, bytes: 2 ** 40, storedBytes: 1, rows: 1 })
  expect(found).toMatchObject({ kind: 'corrupt', reason: expect.stringContaining('1099511627776') })
})

test('a file that expands beyond what the manifest says is damaged', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const found = await readObject(
    placeOf(async () => bomb),
    {
      ...{ sha256, bytes: 1_000, storedBytes: bomb.length, rows: 1 },
    },
  )
  expect(found).toMatchObject({ kind: 'corrupt' })
})
