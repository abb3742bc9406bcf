import { expect, test } from 'vitest'
import { countDropped } from './count-dropped.ts'

test.each([
  ['over_quota', '', ''],
  ['over_quota', 'spike_limit', 'spike_limit'],
  ['rejected', 'too_large', 'too_large'],
  ['rejected', 'x'.repeat(99), 'other'],
  ['duplicate', '', ''],
  ['filtered', 'filtered:localhost', 'filtered:localhost'],
  ['filtered', 'filtered:weather', 'other'],
  ['unsupported', 'unsupported:transaction', 'unsupported:transaction'],
  ['unsupported', 'unsupported:invented', 'other'],
  ['client_discard', 'sample_rate', 'sample_rate'],
  ['client_discard', '\u0000', 'other'],
] as const)('%s with the reason %j is counted under %j', (outcome, reason, counted) => {
  expect(countDropped([{ outcome, reason, quantity: 2 }])).toEqual([
    { outcome, reason: counted, quantity: 2 },
  ])
})

test('equal labels are summed; accepted items and subtractions are left out', () => {
  const invented = (reason: string) => ({ outcome: 'unsupported', reason, quantity: 3 }) as const
  expect(
    countDropped([
      { outcome: 'accepted', reason: '', quantity: 9 },
      { outcome: 'rejected', reason: 'undigestible', quantity: -1 },
      invented('unsupported:a'),
      invented('unsupported:b'),
    ]),
  ).toEqual([{ outcome: 'unsupported', reason: 'other', quantity: 6 }])
})
