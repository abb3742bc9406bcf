import { expect, test } from 'vitest'
import { type KnownRelease, type Resolution, reopens } from './reopens.ts'

const atMs = 1_000

function resolution(fields: Partial<Resolution>): Resolution {
  return { atMs, in: 'now', release: null, commit: null, ...fields }
}

/** First seen before the resolution, in the order given, and `later-…` after it. */
function known(...releases: readonly (string | Partial<KnownRelease>)[]) {
  return new Map(
    releases.map((each, index) => {
      const fields = typeof each === 'string' ? { version: each } : each
      const { version = '' } = fields
      const firstSeenMs = version.startsWith('later') ? atMs + 1 + index : index
      return [version, { version, firstSeenMs, hasCommits: false, hasCommit: false, ...fields }]
    }),
  )
}

const now = resolution({ release: 'app@2.0.0' })
const next = resolution({ in: 'next_release', release: 'app@2.0.0' })
const named = resolution({ in: 'release', release: 'app@2.1.0' })
const none = known()

// biome-ignore format: the columns are the point
test.each([
  ['now: an older release                        ', now, 'app@1.9.9', none, false],
  ['now: the release of that time                ', now, 'app@2.0.0', none, true],
  ['now: a newer one                             ', now, 'app@2.0.1', none, true],
  ['now: a pre-release of it is older            ', now, 'app@2.0.0-rc.1', none, false],
  ['now: an older build of it                    ', resolution({ release: 'app@2.0.0+9' }), 'app@2.0.0+8', none, false],
  ['now: no release                              ', now, '', none, true],
  ['now: there was none at that time             ', resolution({}), 'app@0.0.1', none, true],
  ['now: incomparable, first seen before         ', resolution({ release: 'b' }), 'a', known('a', 'b'), false],
  ['now: incomparable, first seen after          ', resolution({ release: 'a' }), 'b', known('a', 'b'), true],
  ['now: its release has expired, a later one    ', resolution({ release: 'gone' }), 'later-b', known('later-b'), true],
  ['now: its release has expired, a former one   ', resolution({ release: 'gone' }), 'b', known('b'), false],
  ['next: an older release                       ', next, 'app@1.9.9', none, false],
  ['next: the release of that time               ', next, 'app@2.0.0', none, false],
  ['next: the same version in another build      ', next, 'app@2.0.0+2', none, true],
  ['next: a newer one                            ', next, 'app@2.0.1-rc.1', none, true],
  ['next: no release                             ', next, '', none, false],
  ['next: no release, in a project without any   ', resolution({ in: 'next_release' }), '', none, true],
  ['next: the first release of the project       ', resolution({ in: 'next_release' }), 'later-a', known('later-a'), true],
  ['next: one seen before, though none was known ', resolution({ in: 'next_release' }), 'a', known('a'), false],
  ['next: incomparable, first seen at once       ', resolution({ in: 'next_release', release: 'a' }), 'b', known({ version: 'a', firstSeenMs: 5 }, { version: 'b', firstSeenMs: 5 }), false],
  ['release: an older one                        ', named, 'app@2.0.9', none, false],
  ['release: itself                              ', named, 'app@2.1.0', none, true],
  ['release: a newer one                         ', named, 'app@3.0.0', none, true],
  ['release: no release                          ', named, '', none, false],
  ['release: incomparable, itself still to come  ', named, 'later-x', known('later-x'), false],
  ['release: incomparable, after it              ', resolution({ in: 'release', release: 'a' }), 'b', known('a', 'b'), true],
  ['release: incomparable, before it             ', resolution({ in: 'release', release: 'b' }), 'a', known('a', 'b'), false],
] as const)('%s', (_name, resolved, version, releases, want) => {
  expect(reopens(resolved, version, releases)).toBe(want)
})

const commit = resolution({ in: 'commit', commit: 'abc1234' })
const fixed = { version: 'app@2.0.0', hasCommits: true, hasCommit: true }
const without = { version: 'app@1.0.0', hasCommits: true, hasCommit: false }

// biome-ignore format: the columns are the point
test.each([
  ['a release that has it                        ', 'app@2.0.0', known(fixed), true],
  ['a newer one, whose commits are unknown       ', 'app@2.1.0', known(fixed, 'app@2.1.0'), true],
  ['a newer one with other commits               ', 'app@2.1.0', known(fixed, { ...without, version: 'app@2.1.0' }), true],
  ['an older one, whose commits are unknown      ', 'app@1.9.0', known(fixed, 'app@1.9.0'), false],
  ['an older one with other commits              ', 'app@1.0.0', known(fixed, without), false],
  ['newer than the first of two that have it     ', 'app@2.5.0', known(fixed, { ...fixed, version: 'app@3.0.0' }), true],
  ['a backport that has it                       ', 'app@1.0.1', known(fixed, { ...fixed, version: 'app@1.0.1' }), true],
  ['incomparable, seen after the one that has it ', 'later-x', known(fixed, 'later-x'), true],
  ['incomparable, seen before the one that has it', 'x', known('x', fixed), false],
  ['none has it yet: a later release             ', 'later-x', known('later-x'), true],
  ['none has it yet: a later one without it      ', 'later-x', known({ ...without, version: 'later-x' }), false],
  ['none has it yet: a former release            ', 'x', known('x'), false],
  ['no release                                   ', '', known(fixed), false],
] as const)('commit: %s', (_name, version, releases, want) => {
  expect(reopens(commit, version, releases)).toBe(want)
})
