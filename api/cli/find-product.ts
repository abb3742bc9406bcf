/**
 * Finds the installation that a command works on: by POSTGRES_URL and the other variables, else by
 * `demo.json` in the data folder, the URLs of the product that `npm start` runs there.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { VariableName } from '#platform/env.ts'
import { readOrUsageError } from './read-or-usage-error.ts'
import { UsageError } from './usage-error.ts'

export interface FoundProduct {
  readonly postgresUrl: string
  /** These are undefined when no variable names them. */
  readonly clickhouseUrl: string | undefined
  readonly natsUrl: string | undefined
  readonly ingestUrl: string | undefined
  readonly apiUrl: string | undefined
  readonly allowUnverifiedFrom: boolean
}

export async function findProduct(env: NodeJS.ProcessEnv): Promise<FoundProduct> {
  const {
    SLUICE_DATA_DIR: dataDir,
    INGEST_URL,
    API_URL,
  } = readOrUsageError(env, ['SLUICE_DATA_DIR', 'INGEST_URL', 'API_URL'])
  // The defaults are addresses of this machine, which are wrong for everybody else.
  const ingestUrl = env['INGEST_URL'] ? INGEST_URL : undefined
  const apiUrl = env['API_URL'] ? API_URL : undefined
  if (env['POSTGRES_URL']) {
    const clickhouse = env['CLICKHOUSE_URL'] && readOrUsageError(env, ['CLICKHOUSE_URL'])
    return {
      postgresUrl: readOrUsageError(env, ['POSTGRES_URL']).POSTGRES_URL,
      clickhouseUrl: clickhouse ? clickhouse.CLICKHOUSE_URL : undefined,
      natsUrl: env['NATS_URL'] ? readOrUsageError(env, ['NATS_URL']).NATS_URL : undefined,
      ingestUrl,
      apiUrl,
      allowUnverifiedFrom: false,
    }
  }
  const found = await readProductFile(dataDir)
  if (!found?.postgresUrl || !found.clickhouseUrl || !found.ingestUrl || !found.apiUrl) {
    throw new UsageError(
      `No running Sluice was found: start it (npm start), or set POSTGRES_URL, or set SLUICE_DATA_DIR to its data folder (${join(dataDir, 'demo.json')} was not usable).`,
    )
  }
  return {
    postgresUrl: found.postgresUrl,
    clickhouseUrl: found.clickhouseUrl,
    natsUrl: env['NATS_URL'] || found.natsUrl,
    ingestUrl: ingestUrl ?? found.ingestUrl,
    apiUrl: apiUrl ?? found.apiUrl,
    allowUnverifiedFrom: found.allowUnverifiedFrom ?? false,
  }
}

const url = z.url().optional().catch(undefined)

const ProductFile = z.object({
  postgresUrl: url,
  natsUrl: z.string().optional().catch(undefined),
  clickhouseUrl: url,
  smtpUrl: url,
  ingestUrl: url,
  apiUrl: url,
  allowUnverifiedFrom: z.boolean().optional().catch(undefined),
  metricsUrls: z.record(z.string(), z.url({ protocol: /^https?$/ })).catch({}),
})
export type ProductFile = z.infer<typeof ProductFile>

/** The variables that name stores, with their fields. */
export const storeFields = {
  POSTGRES_URL: 'postgresUrl',
  NATS_URL: 'natsUrl',
  CLICKHOUSE_URL: 'clickhouseUrl',
  SMTP_URL: 'smtpUrl',
} as const satisfies Partial<Record<VariableName, keyof ProductFile>>

/**
 * The valid fields of `demo.json`, also for commands that must work while parts of the product do
 * not. Undefined if no product runs on this data folder.
 */
export async function readProductFile(dataDir: string): Promise<ProductFile | undefined> {
  try {
    const text = await readFile(join(dataDir, 'demo.json'), 'utf8')
    return ProductFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
