/**
 * Writes `web/dashboard/generated/api.d.ts` from the routes of the built API. It starts no engine:
 * the routes are registered, never called. An unchanged file keeps its modification time.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import { createLogger } from '#platform/logger.ts'
import { projectRoot } from '#platform/project-root.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { buildApp } from '../../api/app.ts'
import { inlineComposer } from '../../api/compose/composer.ts'
import { apiTypes, type OpenApiDocument } from './api-types.ts'

const target = join(projectRoot, 'web/dashboard/generated/api.d.ts')
const away = () => Promise.reject(new CodedError('unavailable'))

const app = await buildApp({
  pg: { query: away, transaction: away },
  clickhouse: { select: away },
  clock: systemClock,
  composer: inlineComposer(),
  log: createLogger('build', 'silent'),
  readiness: { report: { status: 'not ready', dependencies: {} } },
  box: new SecretBox('only for the route table, which holds no secret'),
  allowUnverifiedFrom: false,
  resolver: { txt: away, mx: away },
  mailSpf: '',
  targetSettings: targetSettings([]),
  fetchText: away,
  trustedProxies: 0,
  apiUrl: 'http://127.0.0.1:8031',
  mailFrom: { name: 'Sluice', email: 'sluice@sluice.test' },
  ingestUrl: 'http://127.0.0.1:8030',
  mailboxDir: undefined,
})
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
