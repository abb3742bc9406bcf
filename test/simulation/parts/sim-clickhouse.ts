/**
 * The tables of ClickHouse, as far as the simulation needs them: an insert with a known token is
 * dropped and reported as successful, independent of its rows. ClickHouse silently drops different
 * rows under a known token, and that is always a defect of the product, so it is recorded as an
 * error.
 */
import type { StoredItem } from './free-items.ts'
import {
  type EventRow,
  type OutcomeRow,
  readEventRows,
  readOutcomeRows,
  readSessionRows,
  type SessionRow,
} from './row-binary-reader.ts'

/** Number of tokens that a table remembers. */
const tokensMax = 10_000

/** A placeholder is a row that an undo inserts to use up an event token. */
export type InsertPurpose = 'rows' | 'placeholder'

const msPerDay = 86_400_000

export class SimClickHouse {
  readonly events: EventRow[] = []
  readonly outcomes: OutcomeRow[] = []
  readonly errors: string[] = []
  /** Positions of the ranges that have a note. */
  readonly notes: {
    partition: number
    generation: number
    seq: number
    isUndone: boolean
  }[] = []
  /** Whether every insert is refused. */
  refusesAll = false
  /** Sessions after merging: all rows of one session are one entry. */
  readonly #sessions = new Map<string, SessionRow>()
  readonly #tokens = {
    events: new TokenWindow(),
    outcomes: new TokenWindow(),
    sessions: new TokenWindow(),
  }

  /** @param isInterrupted stops the insert before one of its parts. */
  insertEvents(rows: Uint8Array, token: string, isInterrupted: () => boolean): void {
    for (const [part, partRows] of inParts(readEventRows(rows), weekOf)) {
      if (isInterrupted()) throw new Error('the insert was interrupted')
      if (!this.#isNew('events', { part, rows: partRows, token, purpose: 'rows' })) continue
      this.events.push(...partRows)
    }
  }

  insertOutcomes(rows: Uint8Array, token: string, isInterrupted: () => boolean): void {
    for (const [part, partRows] of inParts(readOutcomeRows(rows), monthOf)) {
      if (isInterrupted()) throw new Error('the insert was interrupted')
      if (!this.#isNew('outcomes', { part, rows: partRows, token, purpose: 'rows' })) continue
      this.outcomes.push(...partRows)
    }
  }

  insertSessions(rows: Uint8Array, token: string, isInterrupted: () => boolean): void {
    const weekOfHour = ({ hourSecond }: SessionRow) => weekStart(hourSecond * 1000)
    for (const [part, partRows] of inParts(readSessionRows(rows), weekOfHour)) {
      if (isInterrupted()) throw new Error('the insert was interrupted')
      if (!this.#isNew('sessions', { part, rows: partRows, token, purpose: 'rows' })) continue
      for (const row of partRows) this.#sessions.set(`${row.projectId} ${row.sid}`, row)
    }
  }

  /** The stored items other than events. */
  storedItems(): StoredItem[] {
    return [
      ...[...this.#sessions.values()].map(({ projectId, sid }) => {
        return { kind: 'session' as const, projectId, name: sid, count: 1 }
      }),
      ...discardsOf(this.outcomes),
    ]
  }

  /** Deletes from one week, given as the Unix second at which it begins. */
  deleteEvents(weekStartSecond: number, matches: (row: EventRow) => boolean): void {
    const week = String(weekStartSecond)
    const kept = this.events.filter((row) => weekOf(row) !== week || !matches(row))
    this.events.splice(0, this.events.length, ...kept)
  }

  /** Inserts a row without meaning, so that its token is used. */
  insertPlaceholder(
    place: Pick<EventRow, 'receivedAtMs' | 'partition' | 'generation' | 'streamSeq'>,
    token: string,
  ): void {
    const row: EventRow = {
      ...place,
      projectId: 0,
      eventId: '0'.repeat(32),
      fingerprint: '0'.repeat(32),
      recordIndex: 0,
      sampledIds: [],
      sampledReceivedAtSeconds: [],
    }
    const part = weekOf(row)
    if (!this.#isNew('events', { part, rows: [row], token, purpose: 'placeholder' })) return
    this.events.push(row)
  }

  #isNew(
    table: 'events' | 'outcomes' | 'sessions',
    {
      part,
      rows,
      token,
      purpose,
    }: { part: string; rows: readonly unknown[]; token: string; purpose: InsertPurpose },
  ): boolean {
    const text = JSON.stringify(rows)
    const known = this.#tokens[table].use(`${part} ${token}`, { text, purpose })
    if (known === undefined) return true
    const wasPlaceholder = known.purpose === 'placeholder' || purpose === 'placeholder'
    if (!wasPlaceholder && known.text !== text) {
      this.errors.push(`other rows were inserted into ${table} under the used token ${token}`)
    }
    return false
  }
}

/** The weekly partition of the row, as the Unix second at which its Monday begins. */
function weekOf({ receivedAtMs }: EventRow): string {
  return weekStart(receivedAtMs)
}

function weekStart(ms: number): string {
  const days = Math.floor(ms / msPerDay)
  // January 1, 1970 was a Thursday.
  return String((days - ((days + 3) % 7)) * 86_400)
}

function monthOf({ hourSecond }: OutcomeRow): string {
  return new Date(hourSecond * 1000).toISOString().slice(0, 7)
}

/**
 * Each client report has a line of its own, so the sum of a line is how often the report was
 * counted.
 */
function discardsOf(outcomes: readonly OutcomeRow[]): StoredItem[] {
  const sums = new Map<string, StoredItem>()
  for (const { projectId, outcome, reason, category, quantity } of outcomes) {
    if (outcome !== 'client_discard') continue
    const name = `${reason} ${category}`
    const key = `${projectId} ${name}`
    const count = (sums.get(key)?.count ?? 0) + quantity
    sums.set(key, { kind: 'client_report', projectId, name, count })
  }
  // An undo inserts negative quantities.
  return [...sums.values()].filter(({ count }) => count !== 0)
}

function inParts<T>(rows: readonly T[], partOf: (row: T) => string): Map<string, T[]> {
  const parts = new Map<string, T[]>()
  for (const row of rows) {
    const part = partOf(row)
    const list = parts.get(part)
    if (list === undefined) parts.set(part, [row])
    else list.push(row)
  }
  return parts
}

interface TokenUse {
  readonly text: string
  readonly purpose: InsertPurpose
}

class TokenWindow {
  readonly #uses = new Map<string, TokenUse>()

  /** Returns the earlier use of the token, if the window remembers one. */
  use(token: string, use: TokenUse): TokenUse | undefined {
    const known = this.#uses.get(token)
    if (known !== undefined) return known
    this.#uses.set(token, use)
    if (this.#uses.size > tokensMax) this.#uses.delete([...this.#uses.keys()][0] ?? '')
    return undefined
  }
}
