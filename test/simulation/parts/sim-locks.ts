/**
 * Postgres connections that hold advisory locks, one for each worker. Closing a connection releases
 * its locks. A connection closes when its process dies, when the server goes down, or when another
 * worker ends it.
 */
import type { SimProcess } from './sim-process.ts'

export class LockSession {
  readonly process: SimProcess
  readonly held = new Set<number>()
  isOpen = true
  seenAtMs = 0
  onLost: () => void = () => undefined

  constructor(process: SimProcess) {
    this.process = process
  }
}

export class SimLocks {
  readonly #sessions = new Set<LockSession>()

  open(process: SimProcess): LockSession {
    const session = new LockSession(process)
    this.#sessions.add(session)
    process.onDeath(() => this.#close(session))
    return session
  }

  tryLock(session: LockSession, partition: number): boolean {
    if (!session.isOpen) throw new Error('the connection is closed')
    for (const other of this.#sessions) {
      if (other !== session && other.held.has(partition)) return false
    }
    session.held.add(partition)
    return true
  }

  unlock(session: LockSession, partition: number): void {
    session.held.delete(partition)
  }

  /** Closes the connection. The process is notified when it runs next. */
  end(session: LockSession): void {
    if (!session.isOpen) return
    this.#close(session)
    session.process.note('lost its lock connection')
    session.process.deliver(() => session.onLost())
  }

  endAll(): void {
    for (const session of [...this.#sessions]) this.end(session)
  }

  /** The open connections with the locks that they hold. */
  holders(): readonly LockSession[] {
    return [...this.#sessions]
  }

  #close(session: LockSession): void {
    session.isOpen = false
    session.held.clear()
    this.#sessions.delete(session)
  }
}
