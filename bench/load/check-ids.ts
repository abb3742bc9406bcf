/** Compares answers with stored rows: every event that was answered 200 must be exactly one row. */
import type { AnsweredIds } from './answered-ids.ts'
import { counterOf } from './event-ids.ts'

export interface IdCheck {
  readonly stored: number
  /** Answered 200 and not stored. */
  readonly missing: number
  /** Rows beyond the first of each id. */
  readonly duplicates: number
  /** Stored although no 200 was received. Allowed, because the answer may have been lost. */
  readonly unanswered: number
  /** Ids that this run never sent, or of other runs. */
  readonly foreign: number
  /** A few missing and repeated ids, for the report. */
  readonly examples: readonly string[]
}

export interface StoredIds {
  readonly runId: string
  readonly answered: AnsweredIds
  /** All counters below this one were used. */
  readonly counterEnd: number
  readonly storedIds: Iterable<string>
}

const examplesMax = 5

export function checkIds(input: StoredIds): IdCheck {
  const seen = new Uint8Array(input.counterEnd)
  const examples: string[] = []
  const note = (text: string): void => {
    if (examples.length < examplesMax) examples.push(text)
  }
  let [stored, duplicates, unanswered, foreign] = [0, 0, 0, 0]
  for (const id of input.storedIds) {
    stored += 1
    const counter = counterOf(input.runId, id)
    if (counter === undefined || counter >= input.counterEnd) {
      foreign += 1
      note(`foreign ${id}`)
    } else if (seen[counter] === 1) {
      duplicates += 1
      note(`twice ${id}`)
    } else {
      seen[counter] = 1
      if (!input.answered.has(counter)) unanswered += 1
    }
  }
  let missing = 0
  for (const counter of input.answered.counters()) {
    if (seen[counter] === 1) continue
    missing += 1
    note(`missing event ${counter}`)
  }
  return { stored, missing, duplicates, unanswered, foreign, examples }
}

export function idsAreExact(check: IdCheck): boolean {
  return check.missing === 0 && check.duplicates === 0 && check.foreign === 0
}

/** Adds up several checks. */
export function mergeChecks(checks: readonly IdCheck[]): IdCheck {
  const sum = (field: 'stored' | 'missing' | 'duplicates' | 'unanswered' | 'foreign'): number =>
    checks.reduce((total, check) => total + check[field], 0)
  return {
    stored: sum('stored'),
    missing: sum('missing'),
    duplicates: sum('duplicates'),
    unanswered: sum('unanswered'),
    foreign: sum('foreign'),
    examples: checks.flatMap((check) => check.examples).slice(0, examplesMax),
  }
}
