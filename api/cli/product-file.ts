/**
 * `demo.json` in the data folder: the URLs of the product that `npm start` runs there. Reads only
 * what is valid, for commands that must work while parts of the product do not.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { VariableName } from '#platform/env.ts'

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

export function productFilePath(dataDir: string): string {
  return join(dataDir, 'demo.json')
}

/** Undefined if no product runs on this data folder. */
export async function readProductFile(dataDir: string): Promise<ProductFile | undefined> {
  try {
    const text = await readFile(productFilePath(dataDir), 'utf8')
    return ProductFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
