/**
 * Compares what the clients of one project know with what both databases store. It is a pure
 * function, so tests show that it finds a lost event, an event stored twice, and a count that is
 * off by one.
 */
import { counterOf } from '../../bench/load/event-ids.ts'
import { checkFiles } from './files/check-files.ts'
import type { StoredProject } from './read-stores.ts'
import type { ItemTally, RoundLedger } from './round-ledger.ts'

export interface CheckOptions {
  /** Whether enough events were sent to use up the project's quota. */
  readonly quotaUsedUp: boolean
  /**
   * Events that may have been accepted beyond the limit: ingest lets a fixed number pass while it
   * cannot reach Postgres. 0 when it could always reach Postgres.
   */
  readonly allowance: number
  /** Whether an older Postgres was put back. */
  readonly isRestored?: boolean
}

const examplesMax = 3

/** Returns one sentence for each inconsistency; empty when there is none. */
export function checkProject(
  ledger: RoundLedger,
  stored: StoredProject,
  options: CheckOptions,
): string[] {
  const events = stored.rowIds.length + stored.sampledIds.length
  return [
    ...checkIds(ledger, stored),
    ...checkCounts(stored, events),
    ...checkOutcomes(ledger, stored, options),
    ...checkQuota(ledger, stored, events, options),
    ...checkAnswers(ledger, options),
    ...checkFiles(ledger, stored, options.isRestored === true),
  ].map((finding) => `${ledger.project.role}: ${finding}`)
}

/** Every event that was answered 200 is stored once, and every stored event was sent. */
function checkIds(ledger: RoundLedger, stored: StoredProject): string[] {
  const seen = new Set<number>()
  const twice: string[] = []
  const foreign: string[] = []
  for (const id of [...stored.rowIds, ...stored.sampledIds]) {
    const counter = counterOf(ledger.project.runId, id)
    if (counter === undefined || !ledger.wasSent(counter)) foreign.push(id)
    else if (seen.has(counter)) twice.push(id)
    else seen.add(counter)
  }
  const missing = [...ledger.promised].filter((counter) => !seen.has(counter))
  return [
    ...some(missing.map(String), 'events were answered 200 and are not stored; counters'),
    ...some(twice, 'events are stored twice'),
    ...some(foreign, 'events are stored that were never sent'),
  ]
}

/** Rows, issues, outcomes and releases give the same number of events. */
function checkCounts(stored: StoredProject, events: number): string[] {
  const { issues, rowsWithoutIssue, released, deadLetters } = stored
  const wrong = issues.filter(
    (issue) =>
      issue.counted !== issue.rows + issue.sampled || issue.sampledCounted !== issue.sampled,
  )
  const accepted = quantityOf(stored, 'error', 'accepted')
  return [
    ...wrong.map(
      ({ counted, sampledCounted, rows, sampled }) =>
        `an issue counts ${counted} (${sampledCounted} sampled), there are ${rows} rows and ${sampled} sampled events`,
    ),
    ...when(rowsWithoutIssue > 0, `${rowsWithoutIssue} rows have no issue`),
    ...when(accepted !== events, `${accepted} outcomes say accepted, ${events} events are stored`),
    ...when(released !== events, `releases count ${released}, ${events} events are stored`),
    ...when(deadLetters > 0, `${deadLetters} dead letters`),
  ]
}

/** Every answered item has one outcome. An item of a request without a response has one or none. */
function checkOutcomes(
  ledger: RoundLedger,
  stored: StoredProject,
  { allowance }: CheckOptions,
): string[] {
  const known = ['error', 'session', 'transaction', 'attachment']
  const strange = stored.outcomes.filter(({ category }) => !known.includes(category))
  const negative = stored.outcomes.filter(({ quantity }) => quantity < 0)
  // While Postgres is unavailable, ingest refuses events beyond the allowance, with or without a
  // limit.
  const unlimited = ledger.project.monthlyEvents === null && allowance === 0
  const { certain, possible } = ledger.spoiled
  // Ingest refuses events over a limit before the worker could reject them as invalid.
  const rejected = unlimited ? ledger.spoiled : { certain: 0, possible: certain + possible }
  const overQuota = quantityOf(stored, 'error', 'over_quota')
  return [
    ...within('error items', quantityOf(stored, 'error'), ledger.errors),
    ...within('session items', quantityOf(stored, 'session'), ledger.sessions),
    ...checkSessions(stored),
    ...within('transaction items', quantityOf(stored, 'transaction'), ledger.transactions),
    ...within('files', quantityOf(stored, 'attachment'), ledger.files),
    ...within('rejected events', quantityOf(stored, 'error', 'rejected'), rejected),
    ...when(
      unlimited && overQuota > 0,
      `${overQuota} events have the outcome over_quota without a limit`,
    ),
    ...[...strange, ...negative].map((row) => `an outcome of ${JSON.stringify(row)}`),
  ]
}

/** Each session was accepted once and counted once; its copies are duplicates. */
function checkSessions(stored: StoredProject): string[] {
  const accepted = quantityOf(stored, 'session', 'accepted')
  const rejected = quantityOf(stored, 'session', 'rejected')
  return [
    ...when(
      stored.sessions !== accepted,
      `${stored.sessions} sessions are counted, ${accepted} were accepted`,
    ),
    ...when(rejected > 0, `${rejected} session items are rejected`),
  ]
}

function checkQuota(
  ledger: RoundLedger,
  { used, openLeases }: StoredProject,
  events: number,
  { quotaUsedUp, allowance }: CheckOptions,
): string[] {
  const limit = ledger.project.monthlyEvents
  return [
    ...when(used !== events, `${used} units of quota are used, ${events} events are stored`),
    ...when(openLeases > 0, `${openLeases} leases are still open`),
    ...when(
      limit !== null && events > limit + allowance,
      `${events} events are stored, ${limit} are allowed and ${allowance} while Postgres was unavailable`,
    ),
    ...when(
      limit !== null && quotaUsedUp && events < limit,
      `${events} events are stored although more than the ${limit} allowed were offered`,
    ),
  ]
}

/**
 * 503 is always allowed; 429 is allowed for a project with a limit, or while Postgres is
 * unavailable.
 */
function checkAnswers(ledger: RoundLedger, { allowance }: CheckOptions): string[] {
  const fine = new Set(['200', '503', 'broken', 'late', 'refused'])
  if (ledger.project.monthlyEvents !== null || allowance > 0) fine.add('429')
  return [...ledger.answers].flatMap(([answer, count]) =>
    fine.has(answer) ? [] : [`${count} requests were answered ${answer}`],
  )
}

function quantityOf(stored: StoredProject, category: string, outcome?: string): number {
  return stored.outcomes
    .filter((row) => row.category === category && (outcome ?? row.outcome) === row.outcome)
    .reduce((sum, row) => sum + row.quantity, 0)
}

function within(what: string, count: number, { certain, possible }: ItemTally): string[] {
  return when(
    count < certain || certain + possible < count,
    `${count} ${what} have an outcome, ${certain} were answered and ${possible} may have been taken`,
  )
}

function some(ids: readonly string[], what: string): string[] {
  return when(ids.length > 0, `${ids.length} ${what}: ${ids.slice(0, examplesMax).join(', ')}`)
}

function when(condition: boolean, finding: string): string[] {
  return condition ? [finding] : []
}
