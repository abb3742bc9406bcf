/**
 * Rewrites the statements of migrations for a ClickHouse cluster: they run on every replica, and
 * tables get the replicated variant of their engine. So one set of SQL files serves one server and
 * a cluster. A statement of another form is an error and not run on one replica only.
 */

/** A name, or a macro of the server such as `{cluster}`. */
export const clusterNamePattern = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}|\{[a-z_]{1,62}\})$/

/**
 * The tokens of inserts are remembered for this long. A range is inserted again with the same token
 * until its commit succeeds, so it is longer than any outage.
 */
const windowSeconds = 90 * 86_400

const heads = [
  /^create table if not exists [a-z_]+/i,
  /^alter table [a-z_]+/i,
  /^create database if not exists `[^`]+`/i,
] as const

/** Arguments of these engines come after the path and the name of the replica. */
const engine = /\bengine\s*=\s*((?:Replacing|Summing|Aggregating)?MergeTree)\b/gi
const unsupportedEngine = /\bengine\s*=\s*(?!Replicated)(\w+)/i

/** `sql`: one statement, with comments. */
export function replicatedSql(sql: string, cluster: string): string {
  if (!clusterNamePattern.test(cluster)) {
    throw new Error(`CLICKHOUSE_CLUSTER ${JSON.stringify(cluster)} is not the name of a cluster`)
  }
  const text = withoutComments(sql)
  const head = heads.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined)
  if (head === undefined) {
    throw new Error(`this statement cannot run on a cluster: ${text.slice(0, 80)}`)
  }
  const body = text
    .slice(head.length)
    // Without arguments, path and replica come from the server: default_replica_path, {replica}.
    .replace(engine, 'engine = Replicated$1')
    .replace(
      /\bnon_replicated_deduplication_window = (\d+)/g,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${windowSeconds}`,
    )
  const other = unsupportedEngine.exec(body)?.[1]
  if (other !== undefined) throw new Error(`the engine ${other} has no replicated variant`)
  return `${head} on cluster '${cluster}'${body}`
}

function withoutComments(sql: string): string {
  const text = sql.replace(/--[^\n]*/g, '').trim()
  if (/;\s*\S/.test(text)) throw new Error('a migration of ClickHouse is one statement')
  return text
}
