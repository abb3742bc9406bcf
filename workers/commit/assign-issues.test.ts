import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { type Plain, written } from '../../test/fixtures/workers/written.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import { assignIssues, ownerKey } from './assign-issues.ts'

const project = 1 as ProjectId

function sum(hashes: readonly string[], fields: Partial<Plain<IssueSum>> = {}): IssueSum {
  return written<IssueSum>({
    projectId: project,
    hashes: hashes.map((hash) => ({ variant: 'app', hash })),
    eventCount: 1,
    sampledCount: 0,
    firstSeenMs: 100,
    lastSeenMs: 100,
    lastReceivedMs: 100,
    hourCount: 1,
    releases: [],
    users: [],
    owners: [],
    matches: [],
    firstRelease: '',
    lastRelease: '',
    title: hashes.join('+'),
    culprit: '',
    level: 'error',
    platform: 'node',
    explanation: '{}',
    coarse: { kind: 'type E', hash: 'coarse', explanation: '{"path":"coarse"}' },
    ...fields,
  })
}

function newIds(): () => string {
  let last = 0
  return () => `new-${++last}`
}

test('an unknown hash creates an issue that owns all hashes of the sum', () => {
  const { changes, claims } = assignIssues([sum(['app1', 'sys1'])], new Map(), newIds())
  expect(changes).toMatchObject([{ issueId: 'new-1', isNew: true }])
  expect(claims.map(({ hash, issueId }) => [hash, issueId])).toEqual([
    ['app1', 'new-1'],
    ['sys1', 'new-1'],
  ])
})

test('the first owned hash decides, and hashes without an owner get the same issue', () => {
  const owners = new Map([[ownerKey(project, 'sys1'), 'old']])
  const { changes, claims } = assignIssues([sum(['app2', 'sys1'])], owners, newIds())
  expect(changes).toMatchObject([{ issueId: 'old', isNew: false }])
  expect(claims.map(({ hash, issueId }) => [hash, issueId])).toEqual([['app2', 'old']])
})

test('when two hashes have two owners, the first decides and no hash moves', () => {
  const owners = new Map([
    [ownerKey(project, 'app1'), 'one'],
    [ownerKey(project, 'sys1'), 'two'],
  ])
  const { changes, claims } = assignIssues([sum(['app1', 'sys1'])], owners, newIds())
  expect(changes).toMatchObject([{ issueId: 'one' }])
  expect(claims).toEqual([])
})

test('two sums of one range that share a hash become one new issue', () => {
  const { changes, claims } = assignIssues(
    [
      sum(['app1', 'sys1'], { eventCount: 2, lastSeenMs: 300, lastRelease: '2', title: 'later' }),
      sum(['app2', 'sys1'], { eventCount: 3, firstSeenMs: 50, firstRelease: '1' }),
    ],
    new Map(),
    newIds(),
  )
  expect(changes).toHaveLength(1)
  expect(changes[0]?.isNew).toBe(true)
  expect(changes[0]?.sum).toMatchObject({
    eventCount: 5,
    firstSeenMs: 50,
    lastSeenMs: 300,
    firstRelease: '1',
    lastRelease: '2',
    title: 'later',
  })
  expect(claims.map(({ hash }) => hash)).toEqual(['app1', 'sys1', 'app2'])
})

test('a later sum without a release keeps the earlier one', () => {
  const { changes } = assignIssues(
    [
      sum(['app1', 'sys1'], { lastSeenMs: 300, firstSeenMs: 300 }),
      sum(['app2', 'sys1'], { lastSeenMs: 100, firstRelease: '1', lastRelease: '1' }),
    ],
    new Map(),
    newIds(),
  )
  expect(changes[0]?.sum).toMatchObject({ firstRelease: '1', lastRelease: '1' })
})

test('the same hash in two projects is two issues', () => {
  const { changes } = assignIssues(
    [sum(['app1']), sum(['app1'], { projectId: 2 as ProjectId })],
    new Map(),
    newIds(),
  )
  expect(changes).toHaveLength(2)
})

test('changes are ordered by issue id, so that two commits lock in the same order', () => {
  const owners = new Map([
    [ownerKey(project, 'z'), 'b'],
    [ownerKey(project, 'y'), 'a'],
  ])
  const { changes } = assignIssues([sum(['z']), sum(['y'])], owners, newIds())
  expect(changes.map(({ issueId }) => issueId)).toEqual(['a', 'b'])
})

test('sums of one issue join their releases, hours, users and owners', () => {
  const hourMs = 3_600_000
  const receipt = (version: string, lastReceivedMs: number) => ({ version, lastReceivedMs })
  const owners = new Map([
    [ownerKey(project, 'a'), 'one'],
    [ownerKey(project, 'b'), 'one'],
    [ownerKey(project, 'c'), 'one'],
  ])
  const { changes } = assignIssues(
    [
      sum(['a'], {
        lastReceivedMs: hourMs + 5,
        hourCount: 2,
        releases: [receipt('1', 5)],
        users: [1, 2],
      }),
      sum(['b'], {
        lastReceivedMs: hourMs,
        hourCount: 3,
        releases: [receipt('1', 9), receipt('2', 3)],
        users: [2, 3],
        owners: ['#x'],
      }),
      sum(['c'], { lastReceivedMs: 7, hourCount: 4, releases: [receipt('1', 4)], owners: ['#y'] }),
    ],
    owners,
    newIds(),
  )
  expect(changes).toMatchObject([
    {
      sum: {
        lastReceivedMs: hourMs + 5,
        hourCount: 5,
        releases: [receipt('1', 9), receipt('2', 3)],
        users: [1, 2, 3],
        owners: ['#x'],
      },
    },
  ])
})
