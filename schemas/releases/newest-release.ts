import { compareParsedReleases, type ParsedRelease, parseRelease } from './compare-releases.ts'

export interface SeenRelease {
  readonly version: string
  /** When its first event or session occurred. */
  readonly firstSeenMs: number
}

/**
 * The newest release: the highest of those that compare with the one that was seen first last.
 * Undefined if there is none.
 */
export function newestRelease<Release extends SeenRelease>(
  releases: readonly Release[],
): Release | undefined {
  let latest: Release | undefined
  for (const release of releases) {
    if (latest === undefined || latest.firstSeenMs < release.firstSeenMs) latest = release
  }
  if (latest === undefined) return undefined
  let newest = latest
  let newestParsed: ParsedRelease = parseRelease(latest.version)
  for (const release of releases) {
    const parsed = parseRelease(release.version)
    if (compareParsedReleases(parsed, newestParsed) !== 1) continue
    newest = release
    newestParsed = parsed
  }
  return newest
}
