/**
 * The one connection that a mail process keeps: it is told there of new work, and it holds the advisory lock by which others see
 * that the process lives. Lost, it is opened again; what others took over meanwhile is behind the fence of the attempt.
 */
import pg from 'pg'
import type { Logger } from '#platform/logger.ts'

/** classid of the lock; schemas/postgres/0016-letters.sql looks for it. */
const lockClass = 8037
const reopenMs = 1_000
const channels = ['sends', 'campaigns'] as const
export type MailChannel = (typeof channels)[number]

export class MailSession {
  readonly #options: { url: string; processId: string; log: Logger }
  readonly #onNotice: (channel: MailChannel) => void
  #client: pg.Client | undefined
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    options: { url: string; processId: string; log: Logger },
    onNotice: (channel: MailChannel) => void,
  ) {
    this.#options = options
    this.#onNotice = onNotice
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
      if (known !== undefined) this.#onNotice(known)
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
    // What was said while nobody listened.
    for (const channel of channels) this.#onNotice(channel)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return
    this.#client = undefined
    this.#options.log.warn({ code: 'mail_session_lost' }, 'The listening connection broke.')
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
