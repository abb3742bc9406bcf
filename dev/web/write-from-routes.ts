/**
 * Writes what is generated from the routes of the built API: the types of the dashboard, and the
 * OpenAPI document that the API serves. It starts no engine: the routes are registered, never
 * called. An unchanged file keeps its modification time.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import { openApiFile, urlInFiles } from '../../api/http/openapi-files.ts'
import { apiTypes, type OpenApiDocument } from './api-types.ts'
import { appWithoutStores } from './app-without-stores.ts'

const app = await appWithoutStores({ apiUrl: urlInFiles })
const types = apiTypes(app.swagger() as unknown as OpenApiDocument)
writeIfChanged(join(projectRoot, 'web/dashboard/generated/api.d.ts'), types)
writeIfChanged(openApiFile('json'), JSON.stringify(app.swagger()))
writeIfChanged(openApiFile('yaml'), app.swagger({ yaml: true }))
await app.close()

function writeIfChanged(path: string, text: string): void {
  if (text === readIfThere(path)) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
