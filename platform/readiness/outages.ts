/**
 * Keeps the log readable while a dependency is away: the line that names the outage is enough. A
 * line is about an outage if its `err` says that a server is unreachable, or if its caller says
 * that it may be a consequence (`mayFollowOutage`).
 *
 *   some dependency is away, or came back a moment ago   debug level, and counted
 *   none is known to be away                             held until the dependencies were probed
 *                                                        again: then as above, or as it was written
 *
 * All other lines, and fatal ones, are written at once.
 */
import type { LogFn, Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { isUnreachable } from '../installation/retry-at-start.ts'

const mark = Symbol('may follow an outage')

/**
 * To be spread into the fields of a log line that has no `err` and may be a consequence of an
 * outage.
 */
export const mayFollowOutage: Readonly<Record<symbol, true>> = { [mark]: true }

/** Work that was cut off by an outage fails up to this long after its end. */
const settleMs = 10_000
/** Further lines are only counted while the dependencies are probed. */
const heldMax = 200
const levels = { info: 30, warn: 40, fatal: 60 }

interface HeldLine {
  readonly write: () => void
  readonly demote: () => void
}

export class Outages {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #away = new Set<string>()
  #endedAtMs = Number.NEGATIVE_INFINITY
  #confirm: (() => Promise<void>) | undefined
  #held: HeldLine[] = []
  #isConfirming = false
  /** Lines that were written at debug level, or left out, because of an outage. */
  demotedCount = 0

  constructor(clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#clock = clock
  }

  /** Whether a dependency is away, or came back so recently that work may still fail of it. */
  get isRecent(): boolean {
    return this.#away.size > 0 || this.#clock.monotonicMs() < this.#endedAtMs + settleMs
  }

  begin(dependency: string): void {
    this.#away.add(dependency)
  }

  end(dependency: string): void {
    if (this.#away.delete(dependency) && this.#away.size === 0) {
      this.#endedAtMs = this.#clock.monotonicMs()
    }
  }

  /** Whether another dependency than this one is away. */
  isAnyAwayBut(dependency: string): boolean {
    return [...this.#away].some((name) => name !== dependency)
  }

  /** From now on lines are held until `confirm`, which probes every dependency, has resolved. */
  holdUntil(confirm: () => Promise<void>): void {
    this.#confirm = confirm
  }

  /** Writes the lines that are held, and holds none from now on. */
  stopHolding(): void {
    this.#confirm = undefined
    for (const { write } of this.#held.splice(0)) write()
  }

  /** The `logMethod` hook of pino. */
  readonly logMethod = (
    logger: Logger,
    args: Parameters<LogFn>,
    method: LogFn,
    level: number,
  ): void => {
    const write = (): void => {
      Reflect.apply(method, logger, args)
    }
    const isPlain = level < levels.info || levels.fatal <= level || !isAboutOutage(args[0])
    const confirm = this.#confirm
    const demote = () => {
      this.demotedCount += 1
      logger.debug(...args)
    }
    if (!isPlain && this.isRecent) demote()
    else if (isPlain || level < levels.warn || confirm === undefined) write()
    else this.#hold({ write, demote }, confirm)
  }

  #hold(line: HeldLine, confirm: () => Promise<void>): void {
    if (this.#held.length < heldMax) this.#held.push(line)
    else this.demotedCount += 1
    this.#confirmHeld(confirm)
  }

  #confirmHeld(confirm: () => Promise<void>): void {
    if (this.#isConfirming) return
    this.#isConfirming = true
    const settle = () => {
      this.#isConfirming = false
      const isRecent = this.isRecent
      for (const line of this.#held.splice(0)) (isRecent ? line.demote : line.write)()
    }
    confirm().then(settle, settle)
  }
}

function isAboutOutage(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false
  if ((fields as Record<symbol, unknown>)[mark] === true) return true
  return isUnreachable(fields instanceof Error ? fields : (fields as { err?: unknown }).err)
}
