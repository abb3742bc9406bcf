/** Sessions and users that met no crash, of all releases of a project. */
import { formatWindow } from '../format-window.ts'
import {
  inChunks,
  type Measure,
  type MeasureContext,
  type MeasuredRule,
  percentOf,
  projectsPerQueryMax,
} from './measure.ts'

interface SessionSums {
  sessions: number
  crashed: number
  users: number
  crashedUsers: number
}

const hourSeconds = 3_600

export const measureCrashFree: Measure<'crash_free_rate'> = async (ctx, rules) => {
  // One window length and choice of environments at a time: users of two cannot be added.
  const groups = new Map<string, { scope: Scope; projects: Set<number> }>()
  for (const rule of rules) {
    const group = groups.get(keyOf(rule)) ?? { scope: scopeOf(rule), projects: new Set() }
    groups.set(keyOf(rule), group)
    group.projects.add(rule.projectId)
  }
  const sumsOf = new Map<string, Map<number, SessionSums>>()
  for (const [key, { scope, projects }] of groups) {
    sumsOf.set(key, await readSums(ctx, [...projects], scope))
  }
  return rules.map((rule) => {
    const { of, below_percent, window_seconds, sessions_min } = rule.condition
    const sums = sumsOf.get(keyOf(rule))?.get(rule.projectId)
    if (sums === undefined || sums.sessions < sessions_min) return undefined
    const [whole, part] =
      of === 'sessions' ? [sums.sessions, sums.crashed] : [sums.users, sums.crashedUsers]
    if (whole === 0) return undefined
    const percent = percentOf(whole - part, whole)
    return {
      isOver: percent < below_percent,
      reason: `${percent} percent of ${whole} ${of}${placeOf(rule)} met no crash in ${formatWindow(window_seconds)}; the rule's limit is ${below_percent}.`,
      numbers: { percent, below_percent, [of]: whole, window_seconds },
    }
  })
}

type Rule = MeasuredRule<'crash_free_rate'>

interface Scope {
  readonly windowSeconds: number
  readonly environments: readonly string[] | undefined
}

function scopeOf({ condition, environments }: Rule): Scope {
  return { windowSeconds: condition.window_seconds, environments }
}

const environmentsNamedMax = 3

function placeOf({ environments }: Rule): string {
  if (environments === undefined) return ''
  return environments.length <= environmentsNamedMax
    ? ` in ${environments.join(' or ')}`
    : ` in ${environments.length} environments`
}

const keyOf = (rule: Rule) => JSON.stringify(scopeOf(rule))

/** Sessions are counted by the hour in which they began; the hour of the window's start counts. */
async function readSums(
  { pg, clickhouse, clock }: MeasureContext,
  projects: readonly number[],
  { windowSeconds, environments }: Scope,
): Promise<Map<number, SessionSums>> {
  const start = Math.floor(clock.nowMs() / 1000) - windowSeconds
  const since = Math.floor(start / hourSeconds) * hourSeconds
  const sums = new Map<number, SessionSums>()
  for (const some of inChunks(projects, projectsPerQueryMax)) {
    const result = await clickhouse.query({
      query: `select project_id, sum(counts) as sessions, sum(counts * (state = 4)) as crashed,
          uniqExactIf(who, who != 0) as users, uniqExactIf(who, who != 0 and state = 4) as crashedUsers
        from (
          select project_id, sid, max(status) as state, max(weight) as counts, max(user_hash) as who
          from sessions
          where project_id in {projects:Array(UInt64)} and hour >= fromUnixTimestamp({since:Int64})
            ${environments === undefined ? '' : 'and environment in {environments:Array(String)}'}
          group by project_id, sid
        ) group by project_id`,
      query_params: { projects: some, since, environments: environments ?? [] },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    })
    for (const { project_id, ...found } of await result.json<
      SessionSums & { project_id: number }
    >()) {
      sums.set(project_id, found)
    }
  }
  const { rows } = await pg.query<{ project_id: number; sessions: number; crashed: number }>(
    `select project_id, sum(exited + errored + unhandled + abnormal + crashed)::float8 as sessions,
       sum(crashed)::float8 as crashed
     from release_health_counts where project_id = any($1) and hour >= to_timestamp($2)
       and ($3::text[] is null or environment = any($3)) group by project_id`,
    [projects, since, environments ?? null],
  )
  for (const { project_id, sessions, crashed } of rows) {
    const known = sums.get(project_id) ?? { sessions: 0, crashed: 0, users: 0, crashedUsers: 0 }
    sums.set(project_id, {
      ...known,
      sessions: known.sessions + sessions,
      crashed: known.crashed + crashed,
    })
  }
  return sums
}
