import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { appFrames, buildEvent } from '../../test/fixtures/grouping/build-event.ts'
import { one, valueError } from '../../test/fixtures/grouping/g1-pairs.ts'
import { groupEvent } from '../grouping/group-v1.ts'
import { BurstingKinds } from './bursting-kinds.ts'

const project = 1 as ProjectId
const other = 2 as ProjectId
const hourMs = 3_600_000
const bursts = new BurstingKinds([[project, 5, 'type ValueError']])
const grouping = groupEvent(buildEvent(one(valueError())))
const otherType = groupEvent(buildEvent(one(valueError({ type: 'KeyError' }))))

// biome-ignore format: the columns are the point
test.each([
  ['of the kind, in the hour',      grouping,  project, 5 * hourMs,         'coarse'],
  ['at the end of the hour',        grouping,  project, 6 * hourMs - 1,     'coarse'],
  ['received after the hour',       grouping,  project, 6 * hourMs,         'exception-stack'],
  ['received before it',            grouping,  project, 5 * hourMs - 1,     'exception-stack'],
  ['of another kind',               otherType, project, 5 * hourMs,         'exception-stack'],
  ['of another project',            grouping,  other,   5 * hourMs,         'exception-stack'],
] as const)('an event %s', (_name, fine, projectId, receivedAtMs, path) => {
  expect(bursts.regroup(fine, projectId, receivedAtMs).path).toBe(path)
})

test('errors are grouped only by type when even the crash frames create a burst', () => {
  const both = new BurstingKinds([
    [project, 5, 'type ValueError'],
    [project, 5, 'crash frames of type ValueError'],
  ])
  const elsewhere = one(valueError({ frames: appFrames('elsewhere') }))
  const hashes = [grouping, groupEvent(buildEvent(elsewhere))].map(
    (fine) => both.regroup(fine, project, 5 * hourMs).hashes[0].hash,
  )
  expect(hashes[0]).toBe(hashes[1])
  expect(both.regroup(otherType, project, 5 * hourMs)).toBe(otherType)
})
