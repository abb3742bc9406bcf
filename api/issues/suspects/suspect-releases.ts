/** Which releases may have brought an issue that was seen first in one of them. Pure. */
import { compareParsedReleases, parseRelease } from '#schemas/releases/compare-releases.ts'

export interface KnownRelease {
  readonly version: string
  readonly first_seen: Date
  /** It has an event or a session. */
  readonly is_heard: boolean
}

const releasesMax = 20

/**
 * The release itself, and those before it that nobody ran: the last one with events or sessions did
 * not have the issue, so its commits are good. The newest first.
 */
export function suspectReleases(
  first: string,
  releases: readonly KnownRelease[],
): readonly string[] {
  const own = parseRelease(first)
  const ownSeen = releases.find(({ version }) => version === first)?.first_seen.getTime()
  if (ownSeen === undefined) return []
  const before = releases
    .flatMap((release) => {
      const parsed = parseRelease(release.version)
      if (release.version === first || parsed.package !== own.package) return []
      if (parsed.kind !== own.kind) return []
      const order = compareParsedReleases(parsed, own)
      const isBefore = order === undefined ? release.first_seen.getTime() < ownSeen : order === -1
      return isBefore ? [{ release, parsed }] : []
    })
    .sort(
      (a, b) =>
        compareParsedReleases(b.parsed, a.parsed) ||
        b.release.first_seen.getTime() - a.release.first_seen.getTime(),
    )
    .map(({ release }) => release)
  const good = before.findIndex(({ is_heard: isHeard }) => isHeard)
  const suspects = good === -1 ? before : before.slice(0, good)
  return [first, ...suspects.map(({ version }) => version)].slice(0, releasesMax)
}
