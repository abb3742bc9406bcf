/** Checks that the tables of a ClickHouse database fit the cluster that migrations are run on. */
import type { ClickHouseClient } from '../clickhouse.ts'

/** CLICKHOUSE_CLUSTER does not fit the database. The message states the reason and the remedy. */
export class ClusterError extends Error {}

export interface TableEngine {
  readonly name: string
  readonly engine: string
}

/** The error message, or undefined. `cluster`: CLICKHOUSE_CLUSTER; undefined for one server. */
export function compareEngines(
  tables: readonly TableEngine[],
  cluster: string | undefined,
): string | undefined {
  const ours = tables.filter(({ engine }) => engine.endsWith('MergeTree'))
  const namesOf = (prefix: RegExp) =>
    ours.filter(({ engine }) => prefix.test(engine)).map(({ name }) => name)
  const replicated = namesOf(/^Replicated/)
  // ClickHouse Cloud makes shared tables of every kind of MergeTree.
  const plain = namesOf(/^(?!Replicated|Shared)/)
  if (cluster !== undefined && plain.length > 0) {
    return `CLICKHOUSE_CLUSTER is set, and the tables ${plain.join(', ')} are not replicated: use a new database for the cluster, or unset CLICKHOUSE_CLUSTER`
  }
  if (cluster === undefined && replicated.length > 0) {
    return `the ClickHouse tables ${replicated.join(', ')} are replicated: set CLICKHOUSE_CLUSTER to the name of their cluster (select cluster from system.clusters), so that migrations reach every replica`
  }
  return undefined
}

/** Before a migration. Throws a ClusterError. */
export async function checkCluster(
  clickhouse: ClickHouseClient,
  cluster: string | undefined,
): Promise<void> {
  const tables = await clickhouse.query({
    query: 'select name, engine from system.tables where database = currentDatabase()',
    format: 'JSONEachRow',
  })
  const sentence = compareEngines(await tables.json<TableEngine>(), cluster)
  if (sentence !== undefined) throw new ClusterError(sentence)
  if (cluster !== undefined) await checkShards(clickhouse, cluster)
}

/** Every replica holds all rows: a query of one replica must see everything. */
async function checkShards(clickhouse: ClickHouseClient, cluster: string): Promise<void> {
  const result = await clickhouse.query({
    query: `select uniqExact(shard_num) as shards, count() as replicas from system.clusters
            where cluster = if({name: String} like '{%', getMacro(trim(both '{}' from {name: String})), {name: String})`,
    query_params: { name: cluster },
    format: 'JSONEachRow',
  })
  const [found] = await result.json<{ shards: string; replicas: string }>()
  const shards = Number(found?.shards ?? 0)
  if (shards === 0) {
    throw new ClusterError(
      `CLICKHOUSE_CLUSTER: the ClickHouse server has no cluster named ${cluster}: set it to one of \`select cluster from system.clusters\``,
    )
  }
  if (shards > 1) {
    throw new ClusterError(
      `CLICKHOUSE_CLUSTER: ${cluster} has ${shards} shards, and Sluice needs a cluster with one shard of several replicas`,
    )
  }
}
