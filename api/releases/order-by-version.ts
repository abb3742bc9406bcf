/** The order of the list of releases by version. Pure. */
import {
  compareParsedReleases,
  type ParsedRelease,
  parseRelease,
} from '#schemas/releases/compare-releases.ts'

export interface OrderedRelease {
  readonly version: string
  readonly first_seen: Date
}

interface Parsed<Release> {
  readonly release: Release
  readonly parsed: ParsedRelease
}

/**
 * Highest first. Releases are compared within their package and kind, and the package and kind with
 * the newest release comes first; releases that have no order come by the time at which they were
 * seen first.
 */
export function orderByVersion<Release extends OrderedRelease>(
  releases: readonly Release[],
): Release[] {
  const groups = new Map<string, Parsed<Release>[]>()
  for (const release of releases) {
    const parsed = parseRelease(release.version)
    const name = `${parsed.kind} ${parsed.package}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [{ release, parsed }])
    else group.push({ release, parsed })
  }
  const newestOf = (group: readonly Parsed<Release>[]) =>
    group.reduce((newest, { release }) => Math.max(newest, release.first_seen.getTime()), 0)
  return [...groups]
    .map(([name, group]) => ({ name, newest: newestOf(group), group: group.sort(higherFirst) }))
    .sort((a, b) => b.newest - a.newest || (a.name < b.name ? -1 : 1))
    .flatMap(({ group }) => group.map(({ release }) => release))
}

function higherFirst(a: Parsed<OrderedRelease>, b: Parsed<OrderedRelease>): number {
  const order = compareParsedReleases(b.parsed, a.parsed)
  if (order !== undefined && order !== 0) return order
  const later = b.release.first_seen.getTime() - a.release.first_seen.getTime()
  return later || (a.release.version < b.release.version ? -1 : 1)
}
