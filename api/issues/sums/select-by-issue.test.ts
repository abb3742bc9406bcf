import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import { hashesPerQueryMax, packIssues } from './select-by-issue.ts'

test('issues are packed in order, not split, and within the hashes of one query', () => {
  const issue = fc.record({
    id: fc.uuid(),
    hashes: fc.array(fc.constant('h'), { maxLength: hashesPerIssueMax, size: 'max' }),
  })
  fc.assert(
    fc.property(fc.array(issue, { maxLength: 20 }), (issues) => {
      const packs = packIssues(issues)
      expect(packs.flat()).toEqual(issues.filter(({ hashes }) => hashes.length > 0))
      for (const pack of packs) {
        expect(pack.length).toBeGreaterThan(0)
        expect(pack.flatMap(({ hashes }) => hashes).length).toBeLessThanOrEqual(hashesPerQueryMax)
      }
    }),
    { seed: 7, numRuns: 50 },
  )
})
