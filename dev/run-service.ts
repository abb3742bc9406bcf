/**
 * `npm run ingest | workers | mailer | api`: runs one more process of a service. When the
 * environment names no stores, the process joins the product that `npm start` runs on the data
 * folder.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inheritedEnv, readEnv } from '#platform/env.ts'
import { isServiceWord, serviceWords } from './entry/program-words.ts'
import { programs } from './entry/programs.ts'

const storeVariables = {
  POSTGRES_URL: 'postgresUrl',
  NATS_URL: 'natsUrl',
  CLICKHOUSE_URL: 'clickhouseUrl',
  SMTP_URL: 'smtpUrl',
} as const

/** The process prints and stores the addresses of the product, not the defaults. */
const addressVariables = { INGEST_URL: 'ingestUrl', API_URL: 'apiUrl' } as const

function joinEmbeddedProduct(): void {
  const { SLUICE_DATA_DIR } = readEnv(['SLUICE_DATA_DIR'], inheritedEnv())
  const demo = readDemo(join(SLUICE_DATA_DIR, 'demo.json'))
  // One given URL turns off all of them, so that a process never mixes the stores of two products.
  if (Object.keys(storeVariables).some((name) => process.env[name])) return
  for (const [name, field] of Object.entries(storeVariables)) {
    const url = demo?.[field]
    if (typeof url === 'string') process.env[name] = url
  }
  for (const [name, field] of Object.entries(addressVariables)) {
    const url = demo?.[field]
    if (typeof url === 'string' && !process.env[name]) process.env[name] = url
  }
}

/** @returns undefined when `npm start` does not run on this data folder. */
function readDemo(path: string): Readonly<Record<string, unknown>> | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  return JSON.parse(text)
}

const service = process.argv[2]
if (!isServiceWord(service)) {
  process.stderr.write(`Unknown service. Use one of: ${serviceWords.join(', ')}.\n`)
  process.exitCode = 1
} else {
  joinEmbeddedProduct()
  await programs[service].load()
}
