import type { Clock } from '#platform/clock.ts'
import type { DnsResolver } from '#platform/dns-resolver.ts'
import type { FetchText } from '#platform/http/http-fetch.ts'
import type { TargetSettings } from '#platform/http/safe-request/target-url.ts'
import type { Logger } from '#platform/logger.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import type { ReadinessReport } from '#platform/readiness/readiness.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import type { Composer } from './compose/composer.ts'
import type { ClickHouse, Postgres } from './database.ts'
import type { TrustedProxies } from './http/client-address.ts'
import type { Target } from './operation/processes/target.ts'
import type { AskWorkers } from './worker-requests/ask-workers.ts'

/** All dependencies of the API. Tests pass their own. */
export interface ApiContext {
  readonly pg: Postgres
  readonly clickhouse: ClickHouse
  readonly clock: Clock
  /** Composes emails in worker threads. */
  readonly composer: Composer
  /** Asks any worker process for what only code of the workers can do. */
  readonly askWorkers: AskWorkers
  readonly log: Logger
  readonly readiness: { readonly report: ReadinessReport }
  /** Signs links and encrypts secrets. */
  readonly box: SecretBox
  /** For the checks of sending domains. */
  readonly resolver: DnsResolver
  /** The SPF terms that authorize our mail servers. */
  readonly mailSpf: string
  /** Downloads the certificates of providers that call our webhooks. */
  readonly fetchText: FetchText
  /** Which addresses webhooks may have (WEBHOOK_ALLOWED_NETWORKS). */
  readonly targetSettings: TargetSettings
  /** The proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: TrustedProxies
  /** The public URL of this API, for links and the OpenAPI document. */
  readonly apiUrl: string
  /** The sender of Sluice's own emails (MAIL_FROM). */
  readonly mailFrom: Mailbox
  /** Whether a From address of an unverified domain is a warning instead of an error. */
  readonly allowUnverifiedFrom: boolean
  /** The public URL of ingest, for DSNs. */
  readonly ingestUrl: string
  /** The processes of the installation, for its operator. Default: none is known. */
  readonly operationTargets?: () => Promise<readonly Target[]>
  /** Time that a snapshot of the operation waits for a store. Default: 900. */
  readonly operationStoreMs?: number
  /** Time that a request may wait for stores. Default: `storeMsMax` of store-time.ts. */
  readonly storeMsMax?: number
  /** The folder of the built dashboard. Default: below dist/. */
  readonly dashboardFolder?: string
  /** The folder of captured emails; undefined when there is no mailbox. */
  readonly mailboxDir: string | undefined
  /** Files of events. Undefined: none can be read. */
  readonly objects?: ObjectStore | undefined
}
