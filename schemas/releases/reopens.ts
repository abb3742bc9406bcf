/**
 * Decides whether an event reopens a resolved issue. An event of an old release, which does not
 * have the repair, does not. Releases compare as their versions do, and otherwise by which was seen
 * first.
 *
 *   resolved in    reopened by events of
 *   now            releases that are not older than the newest one at that time; without a release
 *   next_release   releases that are newer than the newest one at that time
 *   release        that release and newer ones
 *   commit         releases that have the commit, and newer ones than the first of them; until one
 *                  is known to have it, releases whose commits are unknown and that were first seen
 *                  after the issue was resolved
 */
import { compareReleases } from './compare-releases.ts'

export interface Resolution {
  readonly atMs: number
  readonly in: 'now' | 'next_release' | 'release' | 'commit'
  /** Null: the project had no release. */
  readonly release: string | null
  /** A prefix of the hash, in lower case. */
  readonly commit: string | null
}

export interface KnownRelease {
  readonly version: string
  readonly firstSeenMs: number
  readonly hasCommits: boolean
  /** Whether it has the commit of the resolution. */
  readonly hasCommit: boolean
}

/** By version. What is absent was never seen. */
export type KnownReleases = ReadonlyMap<string, KnownRelease>

/** @param version of an event received after the resolution; empty if it names none. */
export function reopens(resolution: Resolution, version: string, known: KnownReleases): boolean {
  if (version === '') return reopensWithoutRelease(resolution)
  if (resolution.in === 'commit') return reopensByCommit(resolution, version, known)
  if (resolution.release === null) {
    return resolution.in !== 'next_release' || isSeenAfter(resolution, version, known)
  }
  const order = orderOf(version, resolution.release, { resolution, known })
  return resolution.in === 'next_release' ? order > 0 : order >= 0
}

/** A project without releases would otherwise never see the error again. */
function reopensWithoutRelease(resolution: Resolution): boolean {
  if (resolution.in === 'now') return true
  return resolution.in === 'next_release' && resolution.release === null
}

function reopensByCommit(resolution: Resolution, version: string, known: KnownReleases): boolean {
  const own = known.get(version)
  if (own?.hasCommit === true) return true
  const having = [...known.values()].filter(({ hasCommit }) => hasCommit)
  if (having.length > 0) {
    return having.some((each) => orderOf(version, each.version, { resolution, known }) > 0)
  }
  return own?.hasCommits !== true && isSeenAfter(resolution, version, known)
}

interface Place {
  readonly resolution: Resolution
  readonly known: KnownReleases
}

function orderOf(version: string, other: string, { resolution, known }: Place): number {
  if (version === other) return 0
  const order = compareReleases(version, other)
  if (order !== undefined) return order
  const firstSeenMs = known.get(other)?.firstSeenMs
  if (firstSeenMs !== undefined) return (known.get(version)?.firstSeenMs ?? Infinity) - firstSeenMs
  // A release that is still to come is newer. Another one has expired since.
  if (resolution.in === 'release') return -1
  return isSeenAfter(resolution, version, known) ? 1 : -1
}

function isSeenAfter({ atMs }: Resolution, version: string, known: KnownReleases): boolean {
  return (known.get(version)?.firstSeenMs ?? Infinity) > atMs
}
