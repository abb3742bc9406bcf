import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../project-root.ts'
import { compareEngines, type TableEngine } from './clickhouse-cluster.ts'
import { readMigrations } from './migrate.ts'
import { replicatedSql } from './replicated-sql.ts'

const files = await readMigrations('clickhouse')
const inline = ['migrate.ts', 'installation.ts'].map((name) => {
  const source = readFileSync(join(projectRoot, 'platform/installation', name), 'utf8')
  const sql = /`(create table if not exists [^`]* engine = [^`]*)`/.exec(source)?.[1] ?? ''
  return { name, sql }
})

describe('every statement of a migration', () => {
  test.each([...files, ...inline])('$name runs on all replicas of a cluster', ({ sql }) => {
    const text = replicatedSql(sql, 'main')
    expect(text).toMatch(/^(create table if not exists|alter table) [a-z_]+ on cluster 'main'/)
    expect(text).not.toMatch(/engine = (?!Replicated)/)
    expect(text).not.toContain('non_replicated')
    expect(text).not.toContain('--')
    const tokens = /deduplication_window/.test(sql)
    expect(/ replicated_deduplication_window = \d+, replicated_ded/.test(text)).toBe(tokens)
  })

  test('keeps everything else', () => {
    const [events] = files
    const text = replicatedSql(events?.sql ?? '', 'main')
    expect(text).toContain('ttl toDateTime(received_at) + toIntervalDay(retention_days)')
    expect(text).toContain("occurred_at DateTime64(3, 'UTC') codec(DoubleDelta, ZSTD(1)),")
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['create table if not exists t (n Int8) engine = MergeTree order by n',             "create table if not exists t on cluster '{cluster}' (n Int8) engine = ReplicatedMergeTree order by n"],
  ['create table if not exists t (n Int8) engine=SummingMergeTree(n) order by n',     "create table if not exists t on cluster '{cluster}' (n Int8) engine = ReplicatedSummingMergeTree(n) order by n"],
  ['-- why\nalter table t add column if not exists m Int8 -- a number',               "alter table t on cluster '{cluster}' add column if not exists m Int8"],
  ['create database if not exists `a-b`',                                             "create database if not exists `a-b` on cluster '{cluster}'"],
  ['create table if not exists t (n Int8) engine = ReplicatedMergeTree order by n',   "create table if not exists t on cluster '{cluster}' (n Int8) engine = ReplicatedMergeTree order by n"],
])('%j becomes %j', (sql, want) => {
  expect(replicatedSql(sql, '{cluster}')).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['rename table a to b',                                              'cannot run on a cluster'],
  ['create table t (n Int8) engine = MergeTree order by n',            'cannot run on a cluster'],
  ['create materialized view v to t as select 1',                      'cannot run on a cluster'],
  ['create table if not exists t (n Int8) engine = Memory',            'Memory has no replicated variant'],
  ['create table if not exists t (n Int8) engine = MergeTree order by n; drop table t', 'one statement'],
])('%j is refused', (sql, reason) => {
  expect(() => replicatedSql(sql, 'main')).toThrow(reason)
})

test.each(["a'b", '', 'a b', '{}', 'x'.repeat(64), '`a`', 'a\0', '{cluster}x'])(
  'the cluster name %j is refused',
  (name) => {
    expect(() => replicatedSql('alter table t drop column a', name)).toThrow('CLICKHOUSE_CLUSTER')
  },
)

describe('the tables of a database', () => {
  const tables = (...engines: string[]): TableEngine[] =>
    engines.map((engine, index) => ({ name: `t${index}`, engine }))

  // biome-ignore format: the columns are the point
  test.each([
    ['of a new database fit a cluster',       tables(),                                          'main',    undefined],
    ['of a new database fit a server',        tables(),                                          undefined, undefined],
    ['replicated ones fit a cluster',         tables('ReplicatedMergeTree', 'View'),             'main',    undefined],
    ['plain ones fit a server',               tables('MergeTree', 'SummingMergeTree', 'View'),   undefined, undefined],
    ['of ClickHouse Cloud need no cluster',   tables('SharedMergeTree', 'SharedSummingMergeTree'), undefined, undefined],
    ['plain ones do not fit a cluster',       tables('ReplicatedMergeTree', 'SummingMergeTree'), 'main',    'the tables t1 are not replicated'],
    ['replicated ones need the variable',     tables('MergeTree', 'ReplicatedMergeTree'),        undefined, 'set CLICKHOUSE_CLUSTER'],
  ])('%s', (_name, engines, cluster, sentence) => {
    const found = compareEngines(engines, cluster)
    if (sentence === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(sentence)
  })
})
