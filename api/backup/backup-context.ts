/** What the actions on backups need. Only `create` and `restore` use the databases. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'

export interface BackupContext {
  readonly postgresUrl: string
  readonly clickhouseUrl: string
  /** Client of `clickhouseUrl`. */
  readonly clickhouse: ClickHouseClient
  /** To report what the stream no longer holds; undefined: that is not checked. */
  readonly natsUrl: string | undefined
  /** Files of events. Those in a bucket are not part of a backup. */
  readonly attachments?: { readonly objects: ObjectStore; readonly isInBackup: boolean }
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<void>
  readonly log: Logger
  /** Version of this program. */
  readonly version: string
  /** Prints a line of progress. */
  readonly say: (line: string) => void
}
