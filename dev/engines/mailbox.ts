/**
 * Captured emails on disk: `<id>.eml` holds the raw email, and `<id>.json` the fields that a list
 * shows. Ids sort by time. The oldest emails are deleted beyond a maximum.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#platform/clock.ts'

export interface CapturedEmail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly raw: Buffer
}

const emailsMax = 5_000

export class Mailbox {
  readonly #folder: string
  readonly #clock: Clock
  readonly #emailsMax: number
  /** Sorted, oldest first. */
  #ids: string[] = []
  #lastId = ''

  private constructor(folder: string, clock: Clock, max: number) {
    this.#folder = folder
    this.#clock = clock
    this.#emailsMax = max
  }

  static async open(folder: string, clock: Clock, max = emailsMax): Promise<Mailbox> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const mailbox = new Mailbox(folder, clock, max)
    const names = await readdir(folder)
    mailbox.#ids = names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .sort()
    mailbox.#lastId = mailbox.#ids.at(-1) ?? ''
    return mailbox
  }

  async keep(email: CapturedEmail): Promise<string> {
    const id = this.#nextId()
    const path = join(this.#folder, id)
    await writeFile(`${path}.eml`, email.raw, { mode: 0o600 })
    const card = {
      id,
      from: email.from,
      to: email.to,
      subject: email.subject,
      received_at: new Date(this.#clock.nowMs()).toISOString(),
    }
    // The `.json` file is renamed into place last, so that every listed email is complete.
    await writeFile(`${path}.json.new`, JSON.stringify(card), { mode: 0o600 })
    await rename(`${path}.json.new`, `${path}.json`)
    this.#ids.push(id)
    await this.#dropOldest()
    return id
  }

  async #dropOldest(): Promise<void> {
    const surplus = this.#ids.splice(0, Math.max(0, this.#ids.length - this.#emailsMax))
    for (const id of surplus) {
      await rm(join(this.#folder, `${id}.json`), { force: true })
      await rm(join(this.#folder, `${id}.eml`), { force: true })
    }
  }

  /** 12 hex digits of milliseconds and 8 random ones; always greater than the previous id. */
  #nextId(): string {
    const time = Math.floor(this.#clock.nowMs()).toString(16).padStart(12, '0')
    const last = this.#lastId.slice(0, 12)
    const ahead =
      time > last ? time : (Number.parseInt(last, 16) + 1).toString(16).padStart(12, '0')
    this.#lastId = `${ahead}${randomBytes(4).toString('hex')}`
    return this.#lastId
  }
}
