/** Postgres, ClickHouse, the streams and the ingest logs must belong to one installation. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readInstallation } from '#platform/installation/installation.ts'
import { installationOfStream } from '#platform/nats/stream-mark.ts'
import { clickhouseRows } from '../clickhouse-rows.ts'
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'
import { logFolder } from '../log-folder.ts'

const installation = of('installation')
const Owner = z.object({ installation: z.string() })

export const installationCheck: Check = {
  group: 'installation',
  run: async (ctx) => {
    const postgres = await ctx.postgres()
    if (postgres.state !== 'answers') return [installation.skipped('id', 'Needs Postgres.')]
    const { id } = await readInstallation(postgres.store.pool)
    const found = await Promise.all([clickhouse(ctx, id), streams(ctx, id), ingestLog(ctx, id)])
    return [installation.ok('id', `The installation is ${id}.`), ...found.flat()]
  },
}

async function clickhouse(ctx: DoctorContext, id: string): Promise<Finding[]> {
  const found = await ctx.clickhouse()
  if (found.state !== 'answers') return [installation.skipped('clickhouse', 'Needs ClickHouse.')]
  const rows = await clickhouseRows<{ id: string }>(
    found.store,
    'select toString(id) as id from installation order by at, id limit 1',
  ).catch(() => [])
  const owner = rows[0]?.id
  if (owner === undefined) {
    const advice = 'Run `npm run migrate`, which marks it.'
    return [installation.warning('clickhouse', 'ClickHouse names no installation.', advice)]
  }
  if (owner === id) return [installation.ok('clickhouse', 'ClickHouse belongs to it.')]
  return [foreign('clickhouse', 'The ClickHouse database', owner, 'CLICKHOUSE_URL')]
}

async function streams(ctx: DoctorContext, id: string): Promise<Finding[]> {
  const found = await ctx.nats()
  if (found.state !== 'answers' || found.store.jetStream === undefined) {
    return [installation.skipped('streams', 'Needs NATS with JetStream.')]
  }
  const owners = found.store.jetStream.streams.map(({ config }) => installationOfStream(config))
  const other = owners.find((owner) => owner !== undefined && owner !== id)
  if (other !== undefined) return [foreign('streams', 'A stream', other, 'NATS_URL')]
  if (owners.length === 0) return []
  return [installation.ok('streams', 'The streams belong to it.')]
}

async function ingestLog(ctx: DoctorContext, id: string): Promise<Finding[]> {
  const folder = logFolder(ctx.settings, id)
  try {
    const text = await readFile(join(folder, 'installation.json'), 'utf8')
    const owner = Owner.parse(JSON.parse(text)).installation
    if (owner === id) return [installation.ok('ingest_log', 'The ingest log belongs to it.')]
    return [foreign('ingest_log', `The folder ${folder}`, owner, 'INGEST_LOG_DIR')]
  } catch {
    // Ingest may run on another machine.
    return [installation.skipped('ingest_log', `There is no ingest log in ${folder}.`)]
  }
}

function foreign(name: string, what: string, owner: string, variable: string): Finding {
  return installation.problem(
    name,
    `${what} belongs to installation ${owner}.`,
    `Set ${variable} to that of this installation, or POSTGRES_URL to the database of ${owner}.`,
  )
}
