import { expect, test } from 'vitest'
import { Manifest } from '#schemas/backup/manifest.ts'
import { nextId } from './create-backup.ts'

const now = Date.parse('2026-11-23T05:24:02.097Z')

test('an id is the time in UTC', () => {
  expect(nextId(now, undefined)).toMatch(/^20261123T052402097Z-[0-9a-f]{8}$/)
})

test('ids sort after the newest one, in the same millisecond and when the clock was set back', () => {
  let newest: string | undefined
  const ids = [now, now, now + 1, now - 86_400_000, now - 1, now + 5].map((at) => {
    newest = nextId(at, newest)
    return newest
  })
  expect([...ids].sort()).toEqual(ids)
  for (const id of ids) expect(Manifest.shape.id.safeParse(id).success).toBe(true)
})
