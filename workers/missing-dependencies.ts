/**
 * Returns the names of the dependencies that a worker process cannot reach; it is ready when there
 * are none.
 */
import { answersInTime } from '#platform/http/answers-in-time.ts'
import type { WorkerConnections } from './connect.ts'
import type { PartitionOwner } from './ownership/partition-owner.ts'

export async function missingDependencies(
  { pg, clickhouse, nats }: Pick<WorkerConnections, 'pg' | 'clickhouse' | 'nats'>,
  owner: Pick<PartitionOwner, 'stuck' | 'refused' | 'postgresOlder' | 'ready'>,
): Promise<string[]> {
  const [hasPostgres, hasClickHouse] = await Promise.all([
    answersInTime(pg.query('select 1')),
    answersInTime(clickhouse.ping().then(({ success }) => success)),
  ])
  return [
    ...(hasPostgres ? [] : ['postgres']),
    ...(hasClickHouse ? [] : ['clickhouse']),
    ...(nats.isClosed() ? ['nats'] : []),
    ...(owner.ready ? [] : ['partitions']),
    ...owner.stuck.map((partition) => `partition ${partition} is stuck`),
    ...owner.postgresOlder.map(
      (partition) =>
        `partition ${partition}: postgres_is_older than ClickHouse; run \`npm run admin -- reconcile\``,
    ),
    ...owner.refused.map((partition) => `partition ${partition}: a store refuses every record`),
  ]
}
