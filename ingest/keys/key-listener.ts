/**
 * Listens for changes of keys and of quota limits in Postgres. Notifications are lost while the
 * connection is down, so the caller is notified of every new connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#platform/logger.ts'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import type { ProjectId, PublicKey } from '#schemas/ids.ts'

export interface KeyListenerOptions {
  readonly pool: Pool
  readonly log: Logger
  onChange(publicKey: PublicKey): void
  onLimitChange(projectId: ProjectId): void
  onConnect(): void
}

const retryFirstMs = 100
const retryMaxMs = 10_000
/** Interval of the queries that detect a dead connection. */
const probeEveryMs = 15_000

export class KeyListener {
  readonly #options: KeyListenerOptions
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #isListening = false

  constructor(options: KeyListenerOptions) {
    this.#options = options
  }

  /** Notifications arrive, as far as is known: a dead connection is detected after a while. */
  get isListening(): boolean {
    return this.#isListening
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    let retryMs = retryFirstMs
    while (!this.#stop.signal.aborted) {
      try {
        await this.#listen(() => {
          retryMs = retryFirstMs
        })
      } catch (error) {
        if (this.#stop.signal.aborted) return
        // Logged once for each loss, not for each retry.
        if (retryMs === retryFirstMs) {
          this.#options.log.warn(
            { code: 'key_listener_lost', ...mayFollowOutage, reason: reasonOf(error) },
            'The connection for DSN key changes was lost; reconnecting. Cached keys keep working.',
          )
        }
      }
      await sleep(retryMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
      retryMs = Math.min(retryMs * 2, retryMaxMs)
    }
  }

  /** Returns only by throwing, or when stopped. */
  async #listen(onListening: () => void): Promise<void> {
    const client: PoolClient = await this.#options.pool.connect()
    const lost = new AbortController()
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('the connection ended')))
    const wake = AbortSignal.any([this.#stop.signal, lost.signal])
    client.on('notification', ({ channel, payload }) => {
      if (payload === undefined) return
      if (channel === 'quota_limits') this.#options.onLimitChange(Number(payload) as ProjectId)
      else this.#options.onChange(payload as PublicKey)
    })
    try {
      await client.query('listen dsn_keys; listen quota_limits')
      onListening()
      this.#isListening = true
      this.#options.log.info(
        { code: 'key_listener_on', ...mayFollowOutage },
        'Listening for DSN key changes.',
      )
      this.#options.onConnect()
      while (!this.#stop.signal.aborted) {
        await sleep(probeEveryMs, undefined, { signal: wake }).catch(() => undefined)
        lost.signal.throwIfAborted()
        if (!this.#stop.signal.aborted) await client.query('select 1')
      }
    } finally {
      this.#isListening = false
      // Not returned to the pool, where it would keep listening.
      client.release(true)
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
