/** The API finds the issue of a failing monitor by the hash that the workers give its events. */
import { expect, test } from 'vitest'
import { failureHash } from '../../api/triage/failure-hash.ts'
import { failureHash as hashOfWorkers } from '../../workers/monitors/failure-event.ts'

// biome-ignore format: the columns are the point
test.each([
  ['nightly-backup', 'production',           'missed'],
  ['nightly-backup', 'production',           'error'],
  ['größe_日本',     'größer 🦀',             'overrunning'],
  ['a',              'e'.repeat(64),         'missed'],
  ['s'.repeat(50),   'x'.repeat(127),        'error'],
  ['s'.repeat(50),   'ü'.repeat(64),         'error'],
] as const)('%s in %s: %s', (slug, environment, kind) => {
  expect(failureHash({ slug, environment, kind })).toBe(hashOfWorkers(slug, environment, kind))
})
