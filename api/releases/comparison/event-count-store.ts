import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { rowWeight } from '../../issues/row-weight.ts'

/** Grouping hashes that are compared; the most frequent ones of both releases together. */
export const comparedHashesMax = 10_000

/** The events of one grouping hash in both releases. Times are 0 without events. */
export interface HashCounts {
  readonly hash: string
  readonly base: number
  readonly head: number
  readonly base_first: number
  readonly base_last: number
  readonly head_first: number
  readonly head_last: number
}

/** One more than `comparedHashesMax` says that there are more. */
export async function countEvents(
  clickhouse: ClickHouse,
  lookup: {
    readonly projectId: ProjectId
    readonly base: string
    readonly head: string
    readonly environment: string | undefined
    readonly sinceMs: number
    readonly untilMs: number
  },
): Promise<HashCounts[]> {
  const { projectId, base, head, environment, sinceMs, untilMs } = lookup
  const of = (name: 'base' | 'head') => `release = {${name}:String}`
  const time = (most: 'min' | 'max', name: 'base' | 'head') =>
    `intDiv(toUnixTimestamp64Milli(${most}If(received_at, ${of(name)})), 1000)`
  return clickhouse.select<HashCounts>(
    `select fingerprint as hash, sumIf(${rowWeight}, ${of('base')}) as base, sumIf(${rowWeight}, ${of('head')}) as head,
       ${time('min', 'base')} as base_first, ${time('max', 'base')} as base_last,
       ${time('min', 'head')} as head_first, ${time('max', 'head')} as head_last
     from events
     where project_id = {project:UInt64} and (${of('base')} or ${of('head')})
       and received_at >= fromUnixTimestamp64Milli({since:Int64})
       and received_at < fromUnixTimestamp64Milli({until:Int64})
       ${environment === undefined ? '' : 'and environment = {environment:String}'}
     group by fingerprint order by base + head desc, fingerprint limit ${comparedHashesMax + 1}`,
    {
      project: projectId,
      base,
      head,
      since: sinceMs,
      until: untilMs,
      ...(environment === undefined ? {} : { environment }),
    },
  )
}
