/**
 * Reads the status of a contact from all columns of its row that hold one. The strongest counts.
 */
import type {
  ImportOutcome,
  ImportPlan,
  ImportProblem,
} from '#schemas/rest/email/contact-import.ts'
import type { SuppressionCause } from '../../address-store.ts'
import { looksLikeDate, readTime } from './read-time.ts'
import { shownText } from './shown-text.ts'

export type OwnStatus = 'pending' | 'subscribed' | 'unsubscribed'

export interface RowState {
  /** Status, or status after the suppression is lifted; null when our own export has none. */
  readonly own: OwnStatus | null
  readonly suppression: SuppressionCause | null
}

const strength = ['subscribed', 'pending', 'unsubscribed'] as const

/** Weakest first. */
const causes = ['hard', 'soft_run', 'manual', 'complaint'] as const
const causeOf: Partial<Record<ImportOutcome, SuppressionCause>> = {
  bounced: 'hard',
  blocked: 'manual',
  complained: 'complaint',
}

export function readState(
  cell: (column: number | undefined) => string,
  plan: ImportPlan,
  now: Date,
): RowState | Omit<ImportProblem, 'line'> {
  const outcomes: ImportOutcome[] = [plan.newStatus]
  for (const state of plan.states) {
    const text = cell(state.column)
    const outcome = outcomeOf(text.toLowerCase(), state, now)
    if (outcome === undefined) return unknownValue(state, text)
    outcomes.push(outcome)
  }
  const suppressions = outcomes.flatMap((outcome) => causeOf[outcome] ?? [])
  const own = strength.findLast((status) => outcomes.includes(status)) ?? 'subscribed'
  if (plan.suppression !== undefined) return ownState(cell, plan.suppression, { own, suppressions })
  const suppression = causes.findLast((cause) => suppressions.includes(cause)) ?? null
  // Lifting a block or a complaint must not subscribe. A bounce is no decision of the person.
  const hasLeft = suppression === 'manual' || suppression === 'complaint'
  return { own: hasLeft ? 'unsubscribed' : own, suppression }
}

/** Our own export has columns for the cause of a suppression and for the status before it. */
function ownState(
  cell: (column: number | undefined) => string,
  columns: NonNullable<ImportPlan['suppression']>,
  read: { own: OwnStatus; suppressions: readonly SuppressionCause[] },
): RowState | Omit<ImportProblem, 'line'> {
  const text = cell(columns.cause)
  const cause = text === '' ? (read.suppressions.at(-1) ?? null) : text
  if (cause === null) return { own: read.own, suppression: null }
  const suppression = causes.find((known) => known === cause)
  if (suppression === undefined) {
    return { field: 'suppressionCause', rule: `must be ${causes.join(', ')} or blank` }
  }
  const before = cell(columns.before)
  if (before === '') {
    return { own: read.suppressions.length > 0 ? null : read.own, suppression }
  }
  const own = strength.find((status) => status === before)
  if (own === undefined) {
    return { field: 'statusBefore', rule: `must be ${strength.join(', ')} or blank` }
  }
  return { own, suppression }
}

function outcomeOf(
  text: string,
  state: ImportPlan['states'][number],
  now: Date,
): ImportOutcome | undefined {
  if (Object.hasOwn(state.values, text)) return state.values[text]
  if (text === '') return state.blank
  const isDate = looksLikeDate(text) || readTime(text.toUpperCase(), now) !== undefined
  return isDate ? (state.date ?? state.other) : state.other
}

function unknownValue(
  state: ImportPlan['states'][number],
  text: string,
): Omit<ImportProblem, 'line'> {
  const known = Object.keys(state.values).slice(0, 12).join(', ')
  const value = text === '' ? 'blank' : `"${shownText(text)}"`
  return {
    field: 'status',
    rule: `is ${value} in the column ${shownText(state.name)}, which is not known (known: ${known}). The row is not imported: map the value with statusValues in the mapping`,
  }
}
