/**
 * Trends count events by the time at which they arrived, and those of a screenshot arrive at once.
 * This makes it the time at which they occurred, so that a day looks like one.
 */
import { createClickHouse } from '#platform/clickhouse.ts'

export async function spreadEvents(clickhouseUrl: string, projectDsnId: string): Promise<void> {
  const client = createClickHouse(clickhouseUrl, 'screenshots')
  const ofProject = `project_id = ${Number(projectDsnId)}`
  try {
    await client.command({
      query: `insert into events select * replace (occurred_at as received_at)
        from (select * from events where ${ofProject} and received_at != occurred_at)`,
    })
    await client.command({
      query: `alter table events delete where ${ofProject} and received_at != occurred_at`,
      clickhouse_settings: { mutations_sync: '2' },
    })
  } finally {
    await client.close()
  }
}
