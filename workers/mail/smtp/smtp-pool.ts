/**
 * Connections to one mail server. Each runs a loop: open, take an email, send it, take the next. An
 * email is taken only while a connection is open, so an unreachable server delays emails and marks
 * none. Some connections are reserved for emails that somebody waits for: a campaign of a million
 * never delays a password email. While the server is quick all of these but one take other emails,
 * too, because then the next connection is free within milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import {
  type Envelope,
  SmtpConnection,
  type SmtpSession,
  type SmtpTimes,
  type Submission,
} from '#platform/smtp/smtp-connection.ts'
import type { SmtpSettings } from '#platform/smtp/smtp-settings.ts'

export type WireOutcome =
  | Submission
  /** The email could not be composed; a retry would not help. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** The email was not tried. */
  | { readonly kind: 'untried' }
  /** The email must not be sent now, for a reason outside the email. */
  | { readonly kind: 'held'; readonly reason: string }

/** Thrown while an email is composed if it must not be sent now. */
export class HoldEmail extends Error {}

export interface ComposedEmail {
  readonly envelope: Envelope
  readonly message: Buffer
  /** The message ends with the line of a single dot (`SmtpConnection.submitEnded`). */
  readonly isEnded?: true
  /** Called when the server has replied to the whole message. */
  readonly release?: () => void
}

export interface WireJob {
  /** False if the mark is so old that others may have recovered the email. */
  readonly isFresh: () => boolean
  readonly compose: () => Promise<ComposedEmail>
  /** `session`: of the connection that was used; undefined if none was. */
  readonly settle: (outcome: WireOutcome, session?: SmtpSession) => void
}

export interface JobSource {
  /** Whether there is work that a connection should be opened for. */
  readonly hasWork: (urgentOnly: boolean) => boolean
  readonly take: (urgentOnly: boolean) => WireJob | undefined
}

export interface PoolOptions {
  readonly settings: SmtpSettings
  readonly connectionsMax: number
  readonly times?: SmtpTimes
  readonly log: Logger
  /** Called after each failure to open a connection. */
  readonly onUnreachable: (failuresInARow: number, reason: string) => void
}

const idleMsMax = 5_000
/** A server that accepts emails is not checked besides. */
const checkMs = 20_000
const backOffMsMin = 250
const backOffMsMax = 30_000
/** An email that takes longer shows that the server is not quick. */
const quickMsMax = 250
/** An email that was quick says so for this long. */
const quickForMs = 2_000
/** Emails in transfer get this long to end when the process drains. */
const drainMsMax = 10_000

export class SmtpPool {
  readonly #options: PoolOptions
  readonly #source: JobSource
  readonly #ending = new AbortController()
  readonly #open = new Set<SmtpConnection>()
  readonly #loops: Promise<void>[]
  #sleepers: (() => void)[] = []
  #failuresInARow = 0
  #fault: string | undefined
  readonly #tried = deferred()
  #timer: NodeJS.Timeout | undefined
  /** When the server last replied to an email or accepted a connection. */
  #usedAtMs = Number.NEGATIVE_INFINITY
  /** The server is to be tried even if there is no work. */
  #isCheckDue = false
  #opening: Promise<unknown> | undefined
  #emailsOnWire = 0
  /** When each email in transfer was taken. */
  readonly #startedMs = new Set<{ readonly atMs: number }>()
  #quickUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: PoolOptions, source: JobSource) {
    this.#options = options
    this.#source = source
    const reserved = reservedConnections(options.connectionsMax)
    // The first one is never lent: slow recipients can occupy all others within milliseconds.
    this.#loops = Array.from({ length: options.connectionsMax }, (_, at) => {
      const use = at >= reserved ? 'any' : at === 0 ? 'urgent' : 'lent'
      return this.#run(use, at === 0)
    })
  }

  get openCount(): number {
    return this.#open.size
  }

  get emailsOnWire(): number {
    return this.#emailsOnWire
  }

  /** False from a failed connection or check until the server is usable again. */
  get isReachable(): boolean {
    return this.#fault === undefined
  }

  /**
   * Resolves to why the mail server cannot be used, or to undefined. The first call opens a
   * connection although no email may wait, and starts regular checks for the times without emails.
   */
  async findFault(): Promise<string | undefined> {
    if (this.#timer === undefined) this.#startChecks()
    await this.#tried.promise
    return this.#fault
  }

  #startChecks(): void {
    this.#tryConnection()
    this.#timer = setInterval(() => {
      const isRecent = systemClock.monotonicMs() < this.#usedAtMs + checkMs
      if (!isRecent && this.#fault === undefined && !this.#isCheckDue) void this.#check()
    }, checkMs / 2)
    this.#timer.unref()
  }

  /** Tells that there may be something to take. */
  wake(): void {
    const sleepers = this.#sleepers
    this.#sleepers = []
    for (const wake of sleepers) wake()
  }

  /** Waits for emails in transfer; connections that are still busy after that are closed. */
  async drain(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#timer)
    this.wake()
    const cut = setTimeout(() => {
      for (const connection of this.#open) connection.destroy()
    }, drainMsMax)
    await Promise.all(this.#loops)
    clearTimeout(cut)
  }

  async #run(use: 'any' | 'lent' | 'urgent', checks: boolean): Promise<void> {
    const { signal } = this.#ending
    let connection: SmtpConnection | undefined
    let again: Again | undefined
    while (!signal.aborted) {
      if (connection !== undefined && (!connection.isOpen || connection.isWornOut)) {
        await this.#closeOne(connection)
        connection = undefined
      }
      if (checks && this.#isCheckDue && connection === undefined) {
        connection = await this.#openOne()
        continue
      }
      const urgentOnly = use === 'urgent' || (use === 'lent' && !this.#isQuick())
      if (again === undefined && !this.#source.hasWork(urgentOnly)) {
        const woken = await this.#sleep(connection === undefined ? undefined : idleMsMax)
        if (woken || connection === undefined) continue
        await this.#closeOne(connection)
        connection = undefined
        continue
      }
      connection ??= await this.#openOne()
      if (connection === undefined) continue
      const job = again?.job ?? this.#source.take(urgentOnly)
      if (job === undefined) await this.#sleep(idleMsMax)
      else again = await this.#send(job, connection, again?.email)
    }
    again?.job.settle({ kind: 'untried' })
    if (connection !== undefined) await this.#closeOne(connection)
  }

  /**
   * Returns what is to be sent again on a new connection: the server closed this one, which had
   * sent emails before, and cannot have accepted the email.
   */
  async #send(
    job: WireJob,
    connection: SmtpConnection,
    composed: ComposedEmail | undefined,
  ): Promise<Again | undefined> {
    this.#emailsOnWire += 1
    const start = { atMs: systemClock.monotonicMs() }
    this.#startedMs.add(start)
    try {
      const email = composed ?? (await job.compose())
      // Nothing may be awaited between this check and the first byte.
      if (!job.isFresh() || !connection.isOpen) {
        job.settle({ kind: 'untried' })
        return undefined
      }
      const { envelope, message, isEnded } = email
      const submission = await (isEnded
        ? connection.submitEnded(envelope, message)
        : connection.submit(envelope, message))
      if (submission.kind !== 'lost') this.#usedAtMs = systemClock.monotonicMs()
      if (composed === undefined && connection.emailsSent > 1 && isClosing(submission)) {
        return { job, email }
      }
      if (submission.kind === 'taken') this.#noteTime(start.atMs)
      job.settle(submission, connection.session)
      // Bytes of a lost connection may still be read.
      if (submission.kind !== 'lost') email.release?.()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      job.settle({ kind: error instanceof HoldEmail ? 'held' : 'unusable', reason })
    } finally {
      this.#emailsOnWire -= 1
      this.#startedMs.delete(start)
    }
    return undefined
  }

  #noteTime(startedMs: number): void {
    const nowMs = systemClock.monotonicMs()
    if (nowMs - startedMs > quickMsMax) return
    const wasQuick = this.#isQuick()
    this.#quickUntilMs = nowMs + quickForMs
    if (!wasQuick) this.wake()
  }

  /** Whether an email was quick a moment ago, and none is slow now. */
  #isQuick(): boolean {
    const nowMs = systemClock.monotonicMs()
    if (nowMs > this.#quickUntilMs) return false
    // The first one is the oldest.
    for (const { atMs } of this.#startedMs) return nowMs - atMs <= quickMsMax
    return true
  }

  /**
   * Undefined if no connection could be opened. While the server is unreachable only one connection
   * at a time tries.
   */
  async #openOne(): Promise<SmtpConnection | undefined> {
    if (this.#failuresInARow > 0 && this.#opening !== undefined) {
      await this.#opening
      return undefined
    }
    const opening = this.#tryToOpen()
    this.#opening = opening
    try {
      return await opening
    } finally {
      if (this.#opening === opening) this.#opening = undefined
    }
  }

  async #tryToOpen(): Promise<SmtpConnection | undefined> {
    const { signal } = this.#ending
    if (this.#failuresInARow > 0) {
      const waitMs = Math.min(
        backOffMsMax,
        backOffMsMin * 2 ** Math.min(this.#failuresInARow - 1, 10),
      )
      await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return undefined
    }
    try {
      const { settings, times } = this.#options
      const connection = await SmtpConnection.open(settings, times)
      this.#noteAnswer()
      this.#failuresInARow = 0
      this.#isCheckDue = false
      this.#open.add(connection)
      return connection
    } catch (error) {
      this.#noteFailure(error)
      return undefined
    }
  }

  /** Without a login, so that regular checks are cheap for the server. */
  async #check(): Promise<void> {
    const { settings, times } = this.#options
    try {
      const connection = await SmtpConnection.open({ ...settings, user: undefined }, times)
      this.#noteAnswer()
      await connection.close()
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#noteFailure(error)
    }
  }

  #noteAnswer(): void {
    this.#usedAtMs = systemClock.monotonicMs()
    this.#fault = undefined
    this.#tried.resolve()
  }

  #noteFailure(error: unknown): void {
    this.#failuresInARow += 1
    const reason = error instanceof Error ? error.message : String(error)
    this.#fault = `The mail server cannot be used: ${reason}.`
    this.#tried.resolve()
    this.#options.log.warn(
      {
        code: 'smtp_unreachable',
        reason,
        failuresInARow: this.#failuresInARow,
        ...mayFollowOutage,
      },
      'Connecting to the mail server failed; retrying.',
    )
    this.#options.onUnreachable(this.#failuresInARow, reason)
    this.#tryConnection()
  }

  /** The server is tried even if no email waits, until a connection was opened. */
  #tryConnection(): void {
    this.#isCheckDue = true
    this.wake()
  }

  async #closeOne(connection: SmtpConnection): Promise<void> {
    this.#open.delete(connection)
    await connection.close()
  }

  /** True if woken, false if the time was up. */
  #sleep(ms: number | undefined): Promise<boolean> {
    if (this.#ending.signal.aborted) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => resolve(false), ms)
      this.#sleepers.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** A fifth of the connections, at least one if there are two. */
export function reservedConnections(connectionsMax: number): number {
  return connectionsMax < 2 ? 0 : Math.max(1, Math.floor(connectionsMax / 5))
}

interface Again {
  readonly job: WireJob
  readonly email: ComposedEmail
}

/** Whether the server closed the connection, and had not got the whole email. */
function isClosing(submission: Submission): boolean {
  if (submission.kind === 'lost') return !submission.written
  return (
    submission.kind === 'refused' && submission.reply.code === 421 && submission.phase !== 'message'
  )
}
