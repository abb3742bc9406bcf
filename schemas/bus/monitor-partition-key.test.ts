import fc from 'fast-check'
import { expect, test } from 'vitest'
import { monitorSlug } from '../wire/monitor-slug.ts'
import { monitorPartitionKey } from './monitor-partition-key.ts'

// biome-ignore format: the columns are the point
test.each([
  ['Nightly-Backup',        'nightly-backup'],
  [' nightly backup ',      'nightly-backup'],
  [`${'x'.repeat(50)}-one`, `${'x'.repeat(50)}-two`],
])('%s and %s are one monitor and have one partition', (one, other) => {
  expect(monitorPartitionKey(one)).toEqual(monitorPartitionKey(other))
})

test('normalising a slug twice gives the same slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      const slug = monitorSlug(text)
      if (slug === undefined) return
      expect(monitorSlug(slug)).toBe(slug)
      expect(monitorPartitionKey(text)).toEqual(monitorPartitionKey(slug))
    }),
    { seed: 20_261_121, numRuns: 2_000 },
  )
})
