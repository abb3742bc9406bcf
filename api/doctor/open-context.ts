/** Connects the doctor to the real world. `close` never waits for a store that hangs. */
import { lookup, Resolver } from 'node:dns/promises'
import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createDnsResolver } from '#platform/dns-resolver.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { createPostgres } from '../database.ts'
import type { DoctorContext, HttpReply, Probed } from './doctor-context.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import { readBroker } from './io/broker.ts'
import { reasonOf } from './reason-of.ts'

const connectMs = 2_500
const statementMs = 1_500
const httpMs = 3_000
const httpBytesMax = 4_096
const closeMs = 500
const applicationName = 'sluice-doctor'

export function openContext(settings: DoctorSettings): {
  readonly ctx: DoctorContext
  readonly close: () => Promise<void>
} {
  const ends: (() => Promise<unknown>)[] = []
  const reverse = new Resolver({ timeout: 1_500, tries: 1 })

  const postgres = once(async () => {
    const url = settings.get('POSTGRES_URL')
    if (url === undefined) return absent(settings, 'POSTGRES_URL')
    const pool = createPool(
      {
        url,
        applicationName,
        connectionsMax: 6,
        statementTimeoutMs: statementMs,
        connectionTimeoutMs: connectMs,
      },
      createLogger('doctor', 'silent'),
    )
    ends.push(() => pool.end())
    return probe(async () => {
      await pool.query('select 1')
      return { pool, database: createPostgres(pool) }
    })
  })

  const clickhouse = once(async () => {
    const url = settings.get('CLICKHOUSE_URL')
    if (url === undefined) return absent(settings, 'CLICKHOUSE_URL')
    const client = createClickHouse(url, applicationName)
    ends.push(() => client.close())
    return probe(async () => {
      const query = 'select 1'
      const result = await client.query({ query, abort_signal: AbortSignal.timeout(connectMs) })
      await result.text()
      return client
    })
  })

  const nats = once(async () => {
    const url = settings.get('NATS_URL')
    if (url === undefined) return absent(settings, 'NATS_URL')
    return probe(() => readBroker(url, () => systemClock.nowMs()))
  })

  const ctx: DoctorContext = {
    settings,
    clock: systemClock,
    resolver: createDnsResolver(settings.get('DNS_SERVERS') ?? []),
    nodeVersion: process.versions.node,
    postgres,
    clickhouse,
    nats,
    diskSpace: async (folder) => {
      const { bsize, bavail, blocks } = await statfs(folder)
      return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
    },
    httpGet,
    addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    namesOf: (address) => reverse.reverse(address).catch(() => []),
  }
  const close = async () => {
    const ended = Promise.allSettled(ends.map((end) => end()))
    await Promise.race([ended, sleep(closeMs, undefined, { ref: false })])
  }
  return { ctx, close }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

function absent(
  settings: DoctorSettings,
  name: 'POSTGRES_URL' | 'CLICKHOUSE_URL' | 'NATS_URL',
): Probed<never> {
  const what = settings.isSet(name) ? 'is not valid' : 'is not set'
  return { state: 'absent', reason: `${name} ${what}` }
}

async function probe<T>(work: () => Promise<T>): Promise<Probed<T>> {
  const startedMs = systemClock.monotonicMs()
  try {
    const store = await work()
    return { state: 'answers', store, ms: systemClock.monotonicMs() - startedMs }
  } catch (error) {
    return { state: 'silent', reason: reasonOf(error) }
  }
}

async function httpGet(url: string): Promise<HttpReply> {
  const signal = AbortSignal.timeout(httpMs)
  const response = await fetch(url, { redirect: 'manual', signal })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= httpBytesMax) break
  }
  return { status: response.status, text: Buffer.concat(chunks).toString('utf8') }
}
