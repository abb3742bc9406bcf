/** Tells an operator which installation two databases hold, before a restore deletes it. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { select } from './clickhouse/connection-store.ts'
import type { Connection } from './postgres/connection-store.ts'

const namesMax = 3

/** Organizations and the time of the newest event. Tables may be missing. */
export async function describeContent(
  client: Connection,
  clickhouse: ClickHouseClient,
): Promise<string> {
  const [organizations, newest] = await Promise.all([
    client
      .query<{ name: string; count: number }>(
        `select name, count(*) over () as count from organizations order by created_at limit ${namesMax}`,
      )
      .then(({ rows }) => rows)
      .catch(() => []),
    select<{ at: string; count: number }>(
      clickhouse,
      'select toString(max(received_at)) as at, count() as count from events',
    )
      .then(([row]) => row)
      .catch(() => undefined),
  ])
  const rest = (organizations[0]?.count ?? 0) - organizations.length
  const names = organizations.map(({ name }) => JSON.stringify(name)).join(', ')
  const accounts =
    organizations.length === 0
      ? 'no organization'
      : `organizations (${names}${rest > 0 ? ` and ${rest} more` : ''})`
  const count = newest?.count ?? 0
  const events = count === 0 ? 'no event' : `${count} events, the newest of ${newest?.at} UTC`
  return `${accounts} and ${events}`
}
