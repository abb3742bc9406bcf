import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { UnsupportedTypes } from './unsupported-types.ts'

test('invented item types have a bounded number of names per project', () => {
  const types = new UnsupportedTypes()
  const reasons = new Set<string>()
  for (let count = 0; count < 1000; count += 1) {
    reasons.add(types.reasonFor(1 as ProjectId, `invented-${count}`))
  }
  expect(reasons.size).toBe(51)
  expect(types.reasonFor(1 as ProjectId, 'transaction')).toBe('unsupported:transaction')
  expect(types.reasonFor(2 as ProjectId, 'invented-999')).toBe('unsupported:invented-999')
})
