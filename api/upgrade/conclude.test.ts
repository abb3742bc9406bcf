import { expect, test } from 'vitest'
import { conclude } from './conclude.ts'

const expand = { name: '0040-a.sql', kind: 'expand' } as const
const contract = { name: '0041-b.sql', kind: 'contract' } as const
const running = ['ingest', 'workers']

// biome-ignore format: the columns are the point
test.each([
  ['a new installation   ', { isInstalled: false, pending: [expand, contract], running: [] }, 0, true, 'Ready: run `npm run migrate`, then start'],
  ['nothing pending      ', { isInstalled: true, pending: [], running }, 0, true, 'Ready: no migration is pending; restart mailer'],
  ['expansions           ', { isInstalled: true, pending: [expand], running }, 0, true, 'Ready: run `npm run migrate`, then restart mailer'],
  ['a contraction, alive ', { isInstalled: true, pending: [expand, contract], running }, 0, false, 'Not ready: 0041-b.sql breaks processes of the previous version. Make a backup, stop every process (ingest, workers)'],
  ['a contraction, none  ', { isInstalled: true, pending: [contract], running: [] }, 0, true, 'Ready: 0041-b.sql breaks processes of the previous version, and none is running.'],
  ['a problem            ', { isInstalled: true, pending: [], running }, 1, false, 'Not ready: repair the problem above'],
  ['two problems         ', { isInstalled: true, pending: [contract], running: [] }, 2, false, 'Not ready: repair the 2 problems above'],
  ['a problem, new       ', { isInstalled: false, pending: [expand], running: [] }, 1, false, 'Not ready'],
] as const)('%s', (_name, facts, problem, isReady, start) => {
  const counts = { problem, warning: 3, ok: 1, skipped: 0 }
  const conclusion = conclude({ ...facts, counts })
  expect(conclusion.isReady).toBe(isReady)
  expect(conclusion.text.slice(0, start.length)).toBe(start)
})
