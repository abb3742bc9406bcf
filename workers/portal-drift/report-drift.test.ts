import { expect, test } from 'vitest'
import { type CountDrift, reportDrift } from './report-drift.ts'

async function linesOf(drift: readonly CountDrift[]): Promise<unknown[]> {
  const lines: unknown[] = []
  const write = (level: string) => (fields: object) => void lines.push({ level, ...fields })
  const log = { error: write('error'), info: write('info') } as never
  await reportDrift({ count: async () => drift, log })
  return lines
}

test('correct counts are logged in one line', async () => {
  expect(await linesOf([{ projectId: 'p', what: 'votes', rows: 0 }])).toEqual([
    { level: 'info', code: 'portal_counts_true' },
  ])
})

test('each kind of count that drifted is an error with the number of rows', async () => {
  const drift = [
    { projectId: 'p', what: 'votes', rows: 2 },
    { projectId: 'p', what: 'tags', rows: 0 },
    { projectId: 'p', what: 'totals', rows: 1 },
  ] as const
  expect(await linesOf(drift)).toEqual([
    { level: 'error', code: 'portal_counts_drifted', projectId: 'p', what: 'votes', rows: 2 },
    { level: 'error', code: 'portal_counts_drifted', projectId: 'p', what: 'totals', rows: 1 },
  ])
})
