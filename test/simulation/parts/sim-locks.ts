/**
 * Postgres connections that hold advisory locks, one for each worker. A lock goes with its
 * connection, and a connection with its process, with the server, or because another worker ended
 * it.
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

  /** The process hears of it when it next runs. */
  end(session: LockSession): void {
    if (!session.isOpen) return
    this.#close(session)
    session.process.note('lost its lock connection')
    session.process.deliver(() => session.onLost())
  }

  endAll(): void {
    for (const session of [...this.#sessions]) this.end(session)
  }

  /** What each open connection holds. */
  holders(): readonly LockSession[] {
    return [...this.#sessions]
  }

  #close(session: LockSession): void {
    session.isOpen = false
    session.held.clear()
    this.#sessions.delete(session)
  }
}
