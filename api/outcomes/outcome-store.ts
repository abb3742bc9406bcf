import type { ProjectId } from '#schemas/ids.ts'
import type { OutcomeGroup } from '#schemas/rest/outcome-report.ts'
import type { ClickHouse, Database } from '../database.ts'

export type StoredOutcome = { at: number; quantity: number } & Partial<
  Record<'outcome' | 'reason' | 'category' | 'component' | 'sdk', string> & { key: number }
>

const groupColumns = {
  outcome: 'outcome',
  reason: 'reason',
  category: 'category',
  key: 'dsn_key_no as key',
  component: 'component',
  sdk: 'sdk',
} as const satisfies Record<OutcomeGroup, string>

/**
 * Oldest first; `at` is the start of the bucket in seconds. Groups whose sum is zero after
 * corrections are left out.
 */
export async function sumOutcomes(
  clickhouse: ClickHouse,
  sum: {
    projectId: ProjectId
    sinceMs: number
    untilMs: number
    /** Undefined: of all SDKs. */
    sdk: string | undefined
    stepSeconds: number
    groups: readonly OutcomeGroup[]
    limit: number
  },
): Promise<StoredOutcome[]> {
  const names = ['at', ...sum.groups].join(', ')
  return clickhouse.select<StoredOutcome>(
    `select intDiv(toUnixTimestamp(hour), {step:UInt32}) * {step:UInt32} as at,
       ${sum.groups.map((group) => `${groupColumns[group]}, `).join('')} sum(quantity) as quantity
     from outcomes
     where project_id = {project:UInt64}
       and hour >= fromUnixTimestamp({since:Int64}) and hour < fromUnixTimestamp({until:Int64})
       ${ofSdk(sum.sdk)}
     group by ${names} having quantity != 0 order by ${names} limit {limit:UInt32}`,
    {
      project: sum.projectId,
      step: sum.stepSeconds,
      since: Math.floor(sum.sinceMs / 1000),
      until: Math.ceil(sum.untilMs / 1000),
      sdk: sum.sdk ?? '',
      limit: sum.limit,
    },
  )
}

export interface StoredArrival {
  readonly category: string
  readonly accepted: number
  readonly never_arrived: number
}

/** Ordered by category; categories without items are left out. */
export async function sumArrivals(
  clickhouse: ClickHouse,
  sum: { projectId: ProjectId; sinceMs: number; untilMs: number; sdk: string | undefined },
): Promise<StoredArrival[]> {
  return clickhouse.select<StoredArrival>(
    `select category, sumIf(quantity, outcome = 'accepted') as accepted,
       sumIf(quantity, outcome = 'client_discard') as never_arrived
     from outcomes
     where project_id = {project:UInt64}
       and hour >= fromUnixTimestamp({since:Int64}) and hour < fromUnixTimestamp({until:Int64})
       and outcome in ('accepted', 'client_discard') ${ofSdk(sum.sdk)}
     group by category having accepted != 0 or never_arrived != 0 order by category`,
    {
      project: sum.projectId,
      since: Math.floor(sum.sinceMs / 1000),
      until: Math.ceil(sum.untilMs / 1000),
      sdk: sum.sdk ?? '',
    },
  )
}

function ofSdk(sdk: string | undefined): string {
  return sdk === undefined ? '' : 'and sdk = {sdk:String}'
}

/** The public keys of DSN keys by their number. */
export async function findPublicKeys(
  pg: Database,
  keyNos: readonly number[],
): Promise<Map<number, string>> {
  if (keyNos.length === 0) return new Map()
  const { rows } = await pg.query<{ key_no: number; public_key: string }>(
    'select key_no, public_key from dsn_keys where key_no = any($1::int[])',
    [keyNos],
  )
  return new Map(rows.map((row) => [row.key_no, row.public_key]))
}
