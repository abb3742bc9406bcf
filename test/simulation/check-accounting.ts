/**
 * The invariants that must hold when everything has healed and settled. The check reads only what
 * was sent, what was answered and what the stores hold. It uses no code of the product, so it
 * cannot contain the same errors.
 */
import type { StoredItem } from './parts/free-items.ts'

/** One event from the clients' view. */
export interface SentEvent {
  readonly projectId: number
  /** 32 lowercase hex digits. */
  readonly eventId: string
  /** Whether the product should store it. */
  readonly isValid: boolean
  /** Whether a request with it was answered 200. */
  wasPromised: boolean
}

/** One item other than an event, from the clients' view. */
export interface SentItem {
  readonly projectId: number
  readonly kind: StoredItem['kind']
  /** Its name in the stores. */
  readonly name: string
  /** Whether the product should store it. */
  readonly isValid: boolean
  /** Whether a request with it was answered 200, or 429 because of the events beside it. */
  wasPromised: boolean
}

export interface ProjectAccounting {
  readonly projectId: number
  /** Current monthly limit in events; undefined without a limit. */
  limit: number | undefined
  /** The highest limit during the run. */
  limitMax: number | undefined
  /** The month in which the project refused events repeatedly at the end of the run. */
  exhaustedIn: string | undefined
  /** Items of requests that were answered 200 or 429: each must have an outcome. */
  itemsAnswered: number
  /** Items of all other requests: each may have an outcome. */
  itemsUnanswered: number
}

export interface Ledger {
  readonly sent: readonly SentEvent[]
  readonly sentItems: readonly SentItem[]
  readonly items: readonly StoredItem[]
  readonly projects: readonly ProjectAccounting[]
  /** Event rows, with the ids of the events that were sampled into them. */
  readonly rows: readonly {
    readonly projectId: number
    readonly eventId: string
    readonly receivedAtMs: number
    readonly sampledIds: readonly string[]
    readonly sampledReceivedAtSeconds: readonly number[]
  }[]
  readonly outcomes: readonly {
    readonly projectId: number
    readonly outcome: string
    readonly category: string
    readonly quantity: number
  }[]
  readonly issues: readonly { readonly projectId: number; readonly count: number }[]
  readonly usage: readonly {
    readonly projectId: number
    readonly period: string
    readonly used: number
    /** Events that were accepted without a lease because Postgres was unavailable. */
    readonly unleased: number
  }[]
  readonly openLeases: number
  /** Files of write-ahead logs that still exist. */
  readonly logFiles: readonly string[]
  /** Errors that were detected during the run. */
  readonly errors: readonly string[]
}

/** Kinds of items with a category of their own: the outcomes must give the same count. */
const countedOnce = [
  { kind: 'check_in', category: 'monitor' },
  { kind: 'client_report', category: 'internal' },
] as const

export function checkAccounting(ledger: Ledger): string[] {
  const problems = [...ledger.errors]
  const stored = countStored(ledger)
  const sent = new Map(ledger.sent.map((event) => [keyOf(event.projectId, event.eventId), event]))
  for (const [key, count] of stored) {
    if (!sent.has(key)) problems.push(`${key} is stored and was never sent`)
    else if (sent.get(key)?.isValid === false) problems.push(`${key} is stored and is not valid`)
    if (count > 1) problems.push(`${key} is stored ${count} times`)
  }
  for (const [key, event] of sent) {
    if (event.wasPromised && event.isValid && !stored.has(key)) {
      problems.push(`${key} was answered 200 and is lost`)
    }
  }
  problems.push(...checkItems(ledger))
  for (const project of ledger.projects) problems.push(...checkProject(ledger, project))
  if (ledger.openLeases > 0) problems.push(`${ledger.openLeases} leases are still open`)
  for (const file of ledger.logFiles) problems.push(`the log ${file} is still there`)
  return problems
}

/** Checks that each valid item that was answered is counted exactly once. */
function checkItems({ sentItems, items }: Ledger): string[] {
  const problems: string[] = []
  const nameOf = ({ projectId, kind, name }: SentItem | StoredItem) =>
    `${kind} ${name} of project ${projectId}`
  const sent = new Map(sentItems.map((item) => [nameOf(item), item]))
  const stored = new Map<string, number>()
  for (const item of items) {
    const name = nameOf(item)
    if (!sent.has(name)) problems.push(`${name} is counted and was never sent`)
    else if (sent.get(name)?.isValid === false) problems.push(`${name} is counted and is not valid`)
    stored.set(name, (stored.get(name) ?? 0) + item.count)
  }
  for (const [name, count] of stored) {
    if (count !== 1) problems.push(`${name} is counted ${count} times`)
  }
  for (const item of sentItems) {
    if (item.wasPromised && item.isValid && !stored.has(nameOf(item))) {
      problems.push(`${nameOf(item)} was answered and is lost`)
    }
  }
  return problems
}

function checkProject(ledger: Ledger, project: ProjectAccounting): string[] {
  const { projectId, limit, limitMax, exhaustedIn } = project
  const ofProject = <T extends { readonly projectId: number }>(list: readonly T[]) =>
    list.filter((each) => each.projectId === projectId)
  const rows = sum(ofProject(ledger.rows), ({ sampledIds }) => 1 + sampledIds.length)
  const issues = sum(ofProject(ledger.issues), ({ count }) => count)
  const used = sum(ofProject(ledger.usage), (usage) => usage.used)
  const outcomes = ofProject(ledger.outcomes)
  const accepted = sum(
    outcomes.filter(({ outcome, category }) => outcome === 'accepted' && category === 'error'),
    ({ quantity }) => quantity,
  )
  // Items that clients discarded were never received.
  const received = outcomes.filter(({ outcome }) => outcome !== 'client_discard')
  const all = sum(received, ({ quantity }) => quantity)
  const itemsMax = project.itemsAnswered + project.itemsUnanswered
  const problems: string[] = []
  const say = (text: string) => problems.push(`project ${projectId}: ${text}`)
  if (rows !== issues) say(`${rows} events in rows, ${issues} in issues`)
  if (rows !== accepted) say(`${rows} events in rows, ${accepted} outcomes accepted`)
  if (rows !== used) say(`${rows} events in rows, ${used} units of quota used`)
  if (all < project.itemsAnswered) say(`${project.itemsAnswered} items answered, ${all} outcomes`)
  if (all > itemsMax) say(`${itemsMax} items sent, ${all} outcomes`)
  for (const { kind, category } of countedOnce) {
    const stored = sum(
      ofProject(ledger.items).filter((item) => item.kind === kind),
      ({ count }) => count,
    )
    const taken = sum(
      outcomes.filter((each) => each.outcome === 'accepted' && each.category === category),
      ({ quantity }) => quantity,
    )
    if (stored !== taken) say(`${stored} of ${kind} counted, ${taken} outcomes accepted`)
  }
  const months = countByMonth(ofProject(ledger.rows))
  for (const { period, used, unleased } of ofProject(ledger.usage)) {
    const inMonth = months.get(period) ?? 0
    if (inMonth !== used) say(`${inMonth} events received in ${period}, ${used} units used`)
    if (limitMax !== undefined && used > limitMax + unleased) {
      say(`${used} used of ${limitMax} in ${period}`)
    }
    if (limit !== undefined && period === exhaustedIn && used < limit) {
      say(`refuses events though only ${used} of ${limit} are used in ${period}`)
    }
  }
  return problems
}

/** Number of events by the month in which they were received, named by its first day. */
function countByMonth(rows: Ledger['rows']): Map<string, number> {
  const months = new Map<string, number>()
  for (const { receivedAtMs, sampledReceivedAtSeconds } of rows) {
    const seconds = [Math.floor(receivedAtMs / 1000), ...sampledReceivedAtSeconds]
    for (const second of seconds) {
      const month = `${new Date(second * 1000).toISOString().slice(0, 7)}-01`
      months.set(month, (months.get(month) ?? 0) + 1)
    }
  }
  return months
}

/** How often each event is stored, by project and id. */
function countStored(ledger: Ledger): Map<string, number> {
  const stored = new Map<string, number>()
  for (const { projectId, eventId, sampledIds } of ledger.rows) {
    for (const id of [eventId, ...sampledIds]) {
      const key = keyOf(projectId, id)
      stored.set(key, (stored.get(key) ?? 0) + 1)
    }
  }
  return stored
}

function keyOf(projectId: number, eventId: string): string {
  return `${projectId}/${eventId}`
}

function sum<T>(list: readonly T[], read: (each: T) => number): number {
  return list.reduce((total, each) => total + read(each), 0)
}
