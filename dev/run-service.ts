/**
 * `npm run ingest | workers | mailer | api`: runs one more process of a service. When the
 * environment names no stores, the process joins the product that `npm start` runs on the data
 * folder.
 */
import { inheritedEnv, readEnv } from '#platform/env.ts'
import { readProductFile, storeFields } from '../api/cli/find-product.ts'
import { isServiceWord, serviceWords } from './entry/program-words.ts'
import { programs } from './entry/programs.ts'

/** The process prints and stores the addresses of the product, not the defaults. */
const addressFields = { INGEST_URL: 'ingestUrl', API_URL: 'apiUrl' } as const

async function joinEmbeddedProduct(): Promise<void> {
  // One given URL turns off all of them, so that a process never mixes the stores of two products.
  if (Object.keys(storeFields).some((name) => process.env[name])) return
  const { SLUICE_DATA_DIR } = readEnv(['SLUICE_DATA_DIR'], inheritedEnv())
  const product = await readProductFile(SLUICE_DATA_DIR)
  for (const [name, field] of Object.entries({ ...storeFields, ...addressFields })) {
    const url = product?.[field]
    if (url !== undefined && !process.env[name]) process.env[name] = url
  }
}

const service = process.argv[2]
if (!isServiceWord(service)) {
  process.stderr.write(`Unknown service. Use one of: ${serviceWords.join(', ')}.\n`)
  process.exitCode = 1
} else {
  await joinEmbeddedProduct()
  await programs[service].load()
}
