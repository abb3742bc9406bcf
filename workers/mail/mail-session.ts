/**
 * The Postgres connection that a mail process keeps open. It receives notifications of new work,
 * and holds the advisory lock by which other processes recognise that this one is running. A lost
 * connection is opened again; emails that others have recovered meanwhile are fenced by the number
 * of their attempt.
 */
import pg from 'pg'
import type { Logger } from '#platform/logger.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'

/** classid of the lock; the migration 0016 queries it. */
const lockClass = 8037
const reopenMs = 1_000
const channels = ['sends', 'campaigns'] as const
export type MailChannel = (typeof channels)[number]

export class MailSession {
  readonly #options: { url: string; processId: string; log: Logger }
  readonly #onNotification: (channel: MailChannel) => void
  #client: pg.Client | undefined
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    options: { url: string; processId: string; log: Logger },
    onNotification: (channel: MailChannel) => void,
  ) {
    this.#options = options
    this.#onNotification = onNotification
  }

  get isHeld(): boolean {
    return this.#client !== undefined
  }

  async open(): Promise<void> {
    const { url, processId } = this.#options
    const client = new pg.Client({
      connectionString: url,
      application_name: 'sluice-mailer-session',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel }) => {
      const known = channels.find((name) => name === channel)
      if (known !== undefined) this.#onNotification(known)
    })
    try {
      await client.connect()
      await client.query('select pg_advisory_lock($1, hashtext($2::uuid::text))', [
        lockClass,
        processId,
      ])
      for (const channel of channels) await client.query(`listen ${channel}`)
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
    this.#client = client
    // Notifications that were sent during the disconnection are lost, so each channel is checked
    // once.
    for (const channel of channels) this.#onNotification(channel)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return
    this.#client = undefined
    this.#options.log.warn(
      { code: 'mail_session_lost', ...mayFollowOutage },
      `The connection for notifications was lost; reconnecting in ${reopenMs / 1000} s.`,
    )
    this.#reopenLater()
  }

  #reopenLater(): void {
    this.#timer = setTimeout(() => {
      this.open().catch(() => {
        if (!this.#isClosed) this.#reopenLater()
      })
    }, reopenMs)
  }
}
