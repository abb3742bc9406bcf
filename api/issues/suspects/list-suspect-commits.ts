import type { EventId } from '#schemas/ids.ts'
import type { SuspectCommit } from '#schemas/rest/releases/commit.ts'
import type { ApiContext } from '../../context.ts'
import { findEvent } from '../../events/event-store.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import {
  findCommits,
  hasCommitPaths,
  listCommitPaths,
  type PathsOfCommit,
} from '../../releases/commits/commit-store.ts'
import { commitItem } from '../../releases/commits/commit-view.ts'
import { listReleaseNames } from '../../releases/release-store.ts'
import { findFirstEvent } from './first-event-store.ts'
import { type CompiledPath, compilePath, isSameFile } from './match-paths.ts'
import { type SuspectFrame, suspectFrames } from './suspect-frames.ts'
import { suspectReleases } from './suspect-releases.ts'

const suspectsMax = 5
const commitsReadMax = 500

interface FoundIssue {
  readonly first_release: string | null
  readonly first_seen: Date
  readonly hashes: readonly string[]
}

/**
 * Commits since the last good release that changed a file of the stack of the first event. Most
 * projects send none, so the events are read only for those that do.
 */
export async function listSuspectCommits(
  project: Pick<StoredProject, 'dsnId'>,
  issue: FoundIssue,
  ctx: Pick<ApiContext, 'pg' | 'clickhouse'>,
): Promise<SuspectCommit[]> {
  const projectId = project.dsnId
  const { first_release: first, hashes } = issue
  if (first === null || !(await hasCommitPaths(ctx.pg, projectId))) return []
  const versions = suspectReleases(first, await listReleaseNames(ctx.pg, projectId))
  if (versions.length === 0) return []
  const commits = await listCommitPaths(ctx.pg, { projectId, versions, limit: commitsReadMax })
  if (commits.length === 0) return []
  const eventId = await findFirstEvent(ctx.clickhouse, { projectId, hashes, issue })
  if (eventId === undefined) return []
  const event = await findEvent(ctx.clickhouse, { projectId, eventId: eventId as EventId })
  const suspects = rankCommits(suspectFrames(parsed(event?.payload ?? '')), commits)
  const rows = await findCommits(ctx.pg, {
    projectId,
    commits: suspects.map(({ commit }) => commit),
  })
  return suspects.flatMap(({ commit, path, frame }) => {
    const row = rows.find(
      ({ version, commit_id: id }) => version === commit.version && id === commit.commit_id,
    )
    return row === undefined
      ? []
      : [{ ...commitItem(row), release: row.version, path, frame: frame.shown }]
  })
}

interface Suspect {
  readonly commit: PathsOfCommit
  readonly path: string
  readonly frame: SuspectFrame
  readonly depth: number
}

/** Each commit once, by the frame that is nearest to the crash; then as the commits come. */
export function rankCommits(
  frames: readonly SuspectFrame[],
  commits: readonly PathsOfCommit[],
): Suspect[] {
  const places = new Map<string, Place[]>()
  for (const [depth, { paths }] of frames.entries()) {
    for (const path of paths) {
      const known = places.get(path.last)
      if (known === undefined) places.set(path.last, [{ depth, path }])
      else known.push({ depth, path })
    }
  }
  const seen = new Set<string>()
  const suspects: Suspect[] = []
  for (const commit of commits) {
    if (seen.has(commit.commit_id)) continue
    seen.add(commit.commit_id)
    const nearest = nearestPlace(places, commit)
    if (nearest === undefined) continue
    suspects.push({ commit, ...nearest, frame: frames[nearest.depth]! })
  }
  return suspects.sort((a, b) => a.depth - b.depth).slice(0, suspectsMax)
}

interface Place {
  readonly depth: number
  readonly path: CompiledPath
}

function nearestPlace(
  places: ReadonlyMap<string, readonly Place[]>,
  commit: PathsOfCommit,
): { readonly path: string; readonly depth: number } | undefined {
  let nearest: { path: string; depth: number } | undefined
  for (const path of commit.paths) {
    const file = compilePath(path)
    const place = file && places.get(file.last)?.find((one) => isSameFile(one.path, file))
    if (place !== undefined && (nearest === undefined || place.depth < nearest.depth)) {
      nearest = { path, depth: place.depth }
    }
  }
  return nearest
}

/** Workers write JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
