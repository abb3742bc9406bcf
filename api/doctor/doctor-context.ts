/**
 * What the checks share. Each store is connected once, on first use; when it does not answer, the
 * check of the store reports it and the others are skipped.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { DnsResolver } from '#platform/dns-resolver.ts'
import type { Pool } from '#platform/postgres.ts'
import type { Database } from '../database.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import type { Finding } from './finding.ts'
import type { Broker } from './io/broker.ts'

/** A store that answered, or why it did not. */
export type Probed<T> =
  | { readonly state: 'answers'; readonly store: T; readonly ms: number }
  /** `absent`: no variable names it. */
  | { readonly state: 'silent' | 'absent'; readonly reason: string }

export interface DiskSpace {
  readonly freeBytes: number
  readonly sizeBytes: number
}

export interface HttpReply {
  readonly status: number
  /** The first bytes of the body. */
  readonly text: string
}

export interface DoctorContext {
  readonly settings: DoctorSettings
  readonly clock: Clock
  readonly resolver: DnsResolver
  readonly nodeVersion: string
  readonly postgres: () => Promise<Probed<PostgresStore>>
  readonly clickhouse: () => Promise<Probed<ClickHouseClient>>
  readonly nats: () => Promise<Probed<Broker>>
  /** Space of the disk that holds a folder. Rejects if there is no such folder. */
  readonly diskSpace: (folder: string) => Promise<DiskSpace>
  readonly httpGet: (url: string) => Promise<HttpReply>
  /** Addresses of a host name, and their names. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>
  readonly namesOf: (address: string) => Promise<readonly string[]>
}

export interface PostgresStore {
  readonly pool: Pool
  readonly database: Database
}

export interface Check {
  readonly group: string
  readonly run: (ctx: DoctorContext) => Promise<readonly Finding[]>
}
