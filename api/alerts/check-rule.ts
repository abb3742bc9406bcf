/** Rules of an alert rule that its schema cannot state. */
import { CodedError, type FieldError } from '#schemas/error-codes.ts'
import type { AlertFilter, QuietHours } from '#schemas/rest/alerts/alert.ts'
import { canonicalField } from '#schemas/search/field-aliases.ts'
import { isAboutReleases } from '#schemas/search/release-term.ts'
import { type SearchNode, type SearchTerm, termsIn } from '#schemas/search/search-query.ts'
import { isTimeZone } from '#schemas/wire/time-zone.ts'
import type { Database } from '../database.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { eventSearch } from '../search/event-search.ts'
import { hasEvents } from '../search/known-tag-store.ts'
import { type NamesContext, requireKnownNames } from '../search/require-known-names.ts'
import { readSearch, searchError } from '../search/search-error.ts'
import { factsAt } from '../search/search-facts.ts'
import type { PlannedTarget } from '../targets/plan-targets.ts'
import { judgeRecipients, storedRecipient } from './recipients/judge-recipients.ts'

export function checkConditions(
  rule: { readonly if: AlertFilter; readonly quiet_hours: QuietHours | null },
  nowMs: number,
): void {
  const errors: FieldError[] = []
  try {
    // Also the fields of the query must be those of events.
    const nodes = readSearch(rule.if.query)
    eventSearch(nodes, factsAt(nowMs))
    for (const term of termsIn(nodes)) requireOneEvent(term)
  } catch (error) {
    errors.push(inQuery(error))
  }
  const { quiet_hours: quiet } = rule
  if (quiet !== null && !isTimeZone(quiet.timezone)) {
    const field = 'quiet_hours.timezone'
    errors.push({ field, rule: 'must be a name of the IANA time zone database, as Europe/Berlin' })
  }
  const [first, ...others] = errors
  if (first !== undefined) throw invalidFields([first, ...others])
}

/**
 * Refuses a query with a name that is neither a field nor a tag of an event of the project: it may
 * be misspelled, and the rule would never fire. `tags[name]` states that it is a tag, which events
 * may have later. In a project without events, and while ClickHouse is away, nobody knows the tags,
 * and the rule is accepted.
 */
export async function checkNames(
  ctx: NamesContext,
  { dsnId }: Pick<StoredProject, 'dsnId'>,
  filter: AlertFilter,
): Promise<void> {
  const terms = termsIn(termsOf(filter)).filter((term) => term.kind === 'text' || !term.isTag)
  try {
    await requireKnownNames(terms, dsnId, ctx)
  } catch (error) {
    if (error instanceof CodedError && error.code === 'unavailable') return
    if (!(await hasEvents(ctx, dsnId))) return
    const detail = inQuery(error)
    const stop = detail.rule.endsWith('?') ? '' : '.'
    const rule = `${detail.rule}${stop} A tag that no event has yet is written tags[name]`
    throw invalidFields([{ ...detail, rule }])
  }
}

/** What is wrong with a query, as an error of the rule that has it. */
function inQuery(error: unknown): FieldError {
  const detail = error instanceof CodedError ? error.details?.[0] : undefined
  if (detail === undefined) throw error
  const { position = 0, end = position, rule } = detail
  return { field: 'if.query', rule: `at character ${position + 1}: ${rule}`, position, end }
}

/** A rule decides about each event by itself and knows no other release than that of the event. */
function requireOneEvent(term: SearchTerm): void {
  if (term.kind === 'text' || !isAboutReleases(term)) return
  const isLatest = canonicalField(term.field) === 'release' && term.operator === '='
  if (!isLatest && canonicalField(term.field) !== 'release.stage') return
  const rule = `must not ask for ${isLatest ? 'release:latest' : 'release.stage'} in a rule, which sees one event at a time; compare with a version, as release:>=app@1.2`
  throw searchError({ position: term.position, end: term.end, rule })
}

/** The parts of a query that `checkConditions` has accepted. */
export function termsOf({ query }: AlertFilter): readonly SearchNode[] {
  return readSearch(query)
}

/** Refuses recipients that were added and that the organization may not send to. */
export async function checkRecipients(
  pg: Database,
  organizationId: string,
  targets: readonly PlannedTarget[],
): Promise<void> {
  const texts = targets.flatMap(({ newRecipients }) => newRecipients)
  const problems = await judgeRecipients(pg, { organizationId, texts })
  const errors = targets.flatMap((planned, index) => {
    const target = planned.content?.target
    if (target?.type !== 'email') return []
    return problems.flatMap(({ recipient, refused }): FieldError[] => {
      if (refused === undefined || !planned.newRecipients.includes(recipient)) return []
      return [{ field: `then.${index}.to.${target.to.indexOf(recipient)}`, rule: refused }]
    })
  })
  const [first, ...others] = errors
  if (first !== undefined) throw invalidFields([first, ...others])
}

/** Recipients in the form in which they are stored, each once. */
export function withStoredRecipients<Target extends { readonly type: string }>(
  target: Target,
): Target {
  if (!('to' in target) || !Array.isArray(target.to)) return target
  return { ...target, to: [...new Set(target.to.map(String).map(storedRecipient))] }
}
