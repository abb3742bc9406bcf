/**
 * Writes `web/dashboard/generated/api.d.ts` from the routes of the built API. It starts no engine:
 * the routes are registered, never called. An unchanged file keeps its modification time.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import { apiTypes, type OpenApiDocument } from './api-types.ts'
import { appWithoutStores } from './app-without-stores.ts'

const target = join(projectRoot, 'web/dashboard/generated/api.d.ts')

const app = await appWithoutStores()
const text = apiTypes(app.swagger() as unknown as OpenApiDocument)
if (text !== readIfThere(target)) {
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}
await app.close()

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
