/**
 * The API with all of its routes and without a store: every query is refused as unavailable. For
 * what reads the routes themselves, such as the OpenAPI document, and for tests of it.
 */
import { systemClock } from '#platform/clock.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import { createLogger } from '#platform/logger.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { buildApp } from '../../api/app.ts'
import { inlineComposer } from '../../api/compose/inline-composer.ts'
import type { ApiContext } from '../../api/context.ts'
import type { ApiInstance } from '../../api/http/route.ts'

export function appWithoutStores(parts: Partial<ApiContext> = {}): Promise<ApiInstance> {
  const away = () => Promise.reject(new CodedError('unavailable'))
  return buildApp({
    pg: { query: away, transaction: away },
    clickhouse: { select: away },
    clock: systemClock,
    composer: inlineComposer(),
    askWorkers: away,
    log: createLogger('routes', 'silent'),
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
    ...parts,
  })
}
