import type { Clock } from '#platform/clock.ts'
import type { DnsResolver } from '#platform/dns-resolver.ts'
import type { FetchText } from '#platform/http/http-fetch.ts'
import type { Logger } from '#platform/logger.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import type { Composer } from './compose/composer.ts'
import type { ClickHouse, Postgres } from './database.ts'
import type { TrustedProxies } from './http/client-address.ts'

/** Everything the API takes from outside; tests hand in their own. */
export interface ApiContext {
  readonly pg: Postgres
  readonly clickhouse: ClickHouse
  readonly clock: Clock
  /** Composes emails, in threads where requests are answered. */
  readonly composer: Composer
  readonly log: Logger
  /** Signs links, seals secrets. */
  readonly box: SecretBox
  /** For the checks of sending domains. */
  readonly resolver: DnsResolver
  /** Terms of SPF records that name our mail servers. */
  readonly mailSpf: string
  /** For certificates of providers that call us. */
  readonly fetchText: FetchText
  /** Whose word on a client's address is taken. */
  readonly trustedProxies: TrustedProxies
  /** Where people reach this API: for the OpenAPI document. */
  readonly apiUrl: string
  /** The sender of Sluice's own emails (MAIL_FROM). */
  readonly mailFrom: Mailbox
  /** True: a From address of a domain that nobody has verified is a warning only. */
  readonly allowUnverifiedFrom: boolean
  /** Where SDKs reach ingest: for DSNs. */
  readonly ingestUrl: string
  /** Folder of the captured letters; undefined: there is no mailbox. */
  readonly mailboxDir: string | undefined
}
