/**
 * Terms that compare versions: the releases of the project are compared here, and the stores are
 * asked for those that match.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { type ParsedRelease, parseRelease } from '#schemas/releases/compare-releases.ts'
import {
  compileReleaseTerm,
  type ReleaseFacts,
  type ReleaseStage,
  type ReleaseTerm,
} from '#schemas/search/release-term.ts'
import type { FieldTerm, SearchTerm } from '#schemas/search/search-query.ts'
import { matchesGlob } from '../alerts/warnings/glob-overlap.ts'
import type { ApiContext } from '../context.ts'
import { findNewestRelease } from '../releases/newest-release.ts'
import { readSessions } from '../releases/release-health-store.ts'
import { readValue, searchError } from './search-error.ts'

export interface KnownReleases {
  readonly facts: ReleaseFacts
  readonly releases: readonly { readonly version: string; readonly parsed: ParsedRelease }[]
}

export const noReleases: KnownReleases = { facts: {}, releases: [] }

type Stores = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>

/** Releases that are compared, those heard last. */
export const comparedReleasesMax = 10_000
/** The names of the releases that match stand in the text of a query. */
const matchedBytesMax = 100_000
const dayMs = 86_400_000
/** The share of the sessions of a day with which a release is adopted. */
export const adoptedShare = 0.1

export async function readReleases(
  terms: readonly SearchTerm[],
  projectId: ProjectId,
  ctx: Stores,
): Promise<KnownReleases> {
  const needs = new Set(
    terms.map((term) => (term.kind === 'field' ? compile(term).needs : undefined)),
  )
  const { rows } = await ctx.pg.query<{ version: string; last_session_at: Date | null }>(
    `select version, last_session_at from releases
     where project_id = $1 order by last_heard_at desc, version limit ${comparedReleasesMax}`,
    [projectId],
  )
  const latest = needs.has('latest') ? await findNewestRelease(ctx.pg, projectId) : undefined
  const stageOf = needs.has('stage') ? await readStages(rows, projectId, ctx) : undefined
  const releases = rows.map(({ version }) => ({ version, parsed: parseRelease(version) }))
  return { facts: { latest, stageOf }, releases }
}

/**
 * Adopted releases have a tenth of the sessions of the last 24 hours, low ones fewer, and replaced
 * ones had some before.
 */
async function readStages(
  rows: readonly { readonly version: string; readonly last_session_at: Date | null }[],
  projectId: ProjectId,
  ctx: Stores,
): Promise<(release: string) => ReleaseStage | undefined> {
  const nowMs = ctx.clock.nowMs()
  const sinceMs = nowMs - dayMs
  const withSessions = new Set(
    rows.flatMap(({ version, last_session_at: at }) => (at === null ? [] : [version])),
  )
  const recent = rows.flatMap(({ version, last_session_at: at }) =>
    at !== null && at.getTime() >= sinceMs ? [version] : [],
  )
  const lookup = {
    ...{ projectId, environment: undefined, sinceMs, untilMs: nowMs, stepSeconds: undefined },
    ...{ isRecent: true, countsOnly: true },
  }
  const [all, each] = await Promise.all([
    readSessions(ctx, { ...lookup, versions: undefined }),
    readSessions(ctx, { ...lookup, versions: recent.slice(0, recentMax) }),
  ])
  const adopted = all('').sessions * adoptedShare
  return (release) => {
    if (!withSessions.has(release)) return undefined
    const { sessions } = each(release)
    if (sessions === 0) return 'replaced'
    return sessions >= adopted ? 'adopted' : 'low'
  }
}

/** Releases whose sessions are counted. */
const recentMax = 200

/** The names of the releases that the term means. */
export function releasesOf(term: FieldTerm, known: KnownReleases): readonly string[] {
  const { matches } = compile(term)
  const found = known.releases.flatMap(({ version, parsed }) =>
    matches(version, parsed, known.facts) ? [version] : [],
  )
  const bytes = found.reduce((sum, version) => sum + Buffer.byteLength(version) + 1, 0)
  if (bytes > matchedBytesMax) {
    const rule = `must mean fewer releases than ${found.length.toLocaleString('en')}: add a second bound, or name one package`
    throw searchError({ position: term.valuePosition, end: term.end, rule })
  }
  return found
}

/**
 * A condition of ClickHouse. A list is too long for parameters, which are sent in the URL, so it is
 * in the text as hex digits, in which no name can end the text.
 */
export function releasesIn(
  column: string,
  term: FieldTerm,
  { releases }: { readonly releases: KnownReleases },
): string {
  const found = releasesOf(term, releases)
  if (found.length === 0) return '0'
  const hex = Buffer.from(found.join('\0')).toString('hex')
  return `${column} in (select arrayJoin(splitByChar('\\0', unhex('${hex}'))))`
}

function compile(term: FieldTerm): ReleaseTerm {
  const matcherOf =
    ({ pieces }: FieldTerm['values'][number]) =>
    (text: string) =>
      matchesGlob(text, pieces)
  return readValue(compileReleaseTerm(term, matcherOf))
}
