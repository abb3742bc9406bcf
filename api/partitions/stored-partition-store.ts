import type { ClickHouse } from '../database.ts'

/** The first number above those of all partitions that rows and notes in ClickHouse name. */
export async function endOfStoredPartitions(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.select<{ next: number | string }>(
    `select toUInt32(if(count() = 0, 0, max(partition) + 1)) as next from (
       select max(partition) as partition from events having count() > 0
       union all select max(partition) from ranges having count() > 0
     )`,
    {},
  )
  return Number(row?.next ?? 0)
}
