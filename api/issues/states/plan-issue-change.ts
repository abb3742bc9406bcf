/** What a change makes of an issue. Pure: the rows are locked and written elsewhere. */
import type {
  IssueChange,
  IssueStatus,
  Priority,
  Resolution,
  Substatus,
  TriageReason,
} from '#schemas/rest/issue.ts'

/** The columns of an issue that people change. */
export interface IssueState {
  readonly status: IssueStatus
  readonly substatus: Exclude<Substatus, 'escalating'> | null
  readonly assignee: string | null
  readonly assignee_team: string | null
  readonly priority: Priority | null
  readonly resolved_at: Date | null
  readonly resolved_in: Resolution | null
  readonly resolved_release: string | null
  readonly resolved_commit: string | null
  readonly ignored_until: Date | null
  readonly ignored_until_count: number | null
  readonly ignored_until_users: number | null
  readonly ignored_until_escalating: boolean
  readonly triage_at: Date | null
  readonly triage_reason: TriageReason | null
  readonly snoozed_until: Date | null
  readonly escalated_at: Date | null
  readonly escalation: unknown
}

export interface LockedIssue extends IssueState {
  readonly id: string
  readonly count: number
}

export type PersonOrTeam =
  | { readonly kind: 'person'; readonly id: string; readonly name: string }
  | { readonly kind: 'team'; readonly id: string; readonly name: string }

export interface ChangeFacts {
  readonly at: Date
  /** The newest release of the project; undefined when it has none. */
  readonly newestRelease: string | undefined
  /** Who `assignee` names; undefined when it names nobody or is not given. */
  readonly owner: PersonOrTeam | undefined
}

export interface PlannedActivity {
  readonly kind: 'status' | 'assigned' | 'priority' | 'reviewed' | 'snoozed'
  readonly data: Readonly<Record<string, unknown>>
}

export interface PlannedChange {
  readonly next: IssueState
  /** Empty when the change makes no difference. */
  readonly activities: readonly PlannedActivity[]
}

const commitPrefix = 'commit:'

const notResolved = {
  resolved_at: null,
  resolved_in: null,
  resolved_release: null,
  resolved_commit: null,
} as const
const notIgnored = {
  ignored_until: null,
  ignored_until_count: null,
  ignored_until_users: null,
  ignored_until_escalating: false,
} as const
const notInTriage = {
  triage_at: null,
  triage_reason: null,
  snoozed_until: null,
  escalated_at: null,
  escalation: null,
} as const

export function planIssueChange(
  issue: LockedIssue,
  change: IssueChange,
  facts: ChangeFacts,
): PlannedChange {
  const { id: _id, count, ...state } = issue
  const activities: PlannedActivity[] = []
  let next: IssueState = state
  for (const plan of steps) {
    const step = plan({ ...next, count }, change, facts)
    if (step === undefined) continue
    const before = next
    next = { ...before, ...step.columns }
    const left = before.triage_at !== null && next.triage_at === null
    const data = {
      ...step.data,
      ...(left ? { left_triage: before.triage_reason } : {}),
      ...(change.reason === undefined ? {} : { reason: change.reason }),
    }
    activities.push({ kind: step.kind, data })
  }
  return { next, activities }
}

interface Step extends PlannedActivity {
  readonly columns: Partial<IssueState>
}

type CountedState = IssueState & Pick<LockedIssue, 'count'>

/** In this order. Each returns undefined when it makes no difference. */
const steps: readonly ((
  state: CountedState,
  change: IssueChange,
  facts: ChangeFacts,
) => Step | undefined)[] = [changeStatus, assign, prioritize, review, snooze]

function changeStatus(
  state: CountedState,
  change: IssueChange,
  facts: ChangeFacts,
): Step | undefined {
  const status = statusOf(change)
  const columns = status && withStatus(state, status, change, facts)
  if (columns === undefined) return undefined
  return { kind: 'status', columns, data: statusData(state.status, { ...state, ...columns }) }
}

/** Who assigns an issue has decided on it, also when rules have assigned it so before. */
function assign(
  state: IssueState,
  { assignee }: IssueChange,
  { owner }: ChangeFacts,
): Step | undefined {
  if (assignee === undefined) return undefined
  const person = owner?.kind === 'person' ? owner.id : null
  const team = owner?.kind === 'team' ? owner.id : null
  const isSame = person === state.assignee && team === state.assignee_team
  if (isSame && (owner === undefined || !needsDecision(state))) return undefined
  const to = owner === undefined ? null : { type: owner.kind, id: owner.id, name: owner.name }
  return {
    kind: 'assigned',
    columns: {
      assignee: person,
      assignee_team: team,
      ...(owner === undefined ? {} : decided(state)),
    },
    data: { to },
  }
}

function prioritize(state: IssueState, { priority }: IssueChange): Step | undefined {
  if (priority === undefined || priority === state.priority) return undefined
  return { kind: 'priority', columns: { priority }, data: { from: state.priority, to: priority } }
}

function review(state: IssueState, { reviewed }: IssueChange): Step | undefined {
  if (reviewed === undefined || !needsDecision(state)) return undefined
  return { kind: 'reviewed', columns: decided(state), data: {} }
}

/** Nothing to snooze is no error: somebody else may just have decided on the issue. */
function snooze(state: IssueState, { snooze_until }: IssueChange): Step | undefined {
  if (snooze_until === undefined || state.triage_at === null) return undefined
  const until = snooze_until === null ? null : new Date(snooze_until)
  if (until?.getTime() === state.snoozed_until?.getTime()) return undefined
  return {
    kind: 'snoozed',
    columns: { snoozed_until: until },
    data: { until: until?.toISOString() ?? null },
  }
}

function needsDecision({ triage_at, escalated_at }: IssueState): boolean {
  return triage_at !== null || escalated_at !== null
}

/** Conditions alone imply the status that they belong to. */
function statusOf({ status, resolved_in, ignore_until }: IssueChange): IssueStatus | undefined {
  if (status !== undefined) return status
  if (resolved_in !== undefined) return 'resolved'
  return ignore_until === undefined ? undefined : 'ignored'
}

/** The issue leaves the queue, and is ongoing if it is unresolved. */
function decided({ status, substatus }: IssueState): Partial<IssueState> {
  return { ...notInTriage, substatus: status === 'unresolved' ? 'ongoing' : substatus }
}

/** Undefined when the issue is in this state already. */
function withStatus(
  issue: CountedState,
  status: IssueStatus,
  change: IssueChange,
  facts: ChangeFacts,
): Partial<IssueState> | undefined {
  if (status === 'unresolved') {
    if (issue.status === 'unresolved') return undefined
    return { status, substatus: 'ongoing', ...notResolved, ...notIgnored, ...notInTriage }
  }
  if (status === 'resolved') {
    const resolution = resolutionOf(change.resolved_in ?? 'now', facts)
    const isSame =
      issue.status === 'resolved' &&
      (change.resolved_in === undefined || isSameResolution(issue, resolution))
    if (isSame) return undefined
    return { status, substatus: null, ...resolution, ...notIgnored, ...notInTriage }
  }
  const ignoring = ignoringOf(issue, change.ignore_until ?? null)
  const isSame =
    issue.status === 'ignored' &&
    (change.ignore_until === undefined || isSameIgnoring(issue, ignoring))
  if (isSame) return undefined
  return { status, substatus: null, ...notResolved, ...ignoring, ...notInTriage }
}

type ResolvedColumns = Pick<
  IssueState,
  'resolved_at' | 'resolved_in' | 'resolved_release' | 'resolved_commit'
>

function resolutionOf(resolvedIn: string, { at, newestRelease }: ChangeFacts): ResolvedColumns {
  const resolved = { ...notResolved, resolved_at: at }
  if (resolvedIn === 'now' || resolvedIn === 'next_release') {
    return { ...resolved, resolved_in: resolvedIn, resolved_release: newestRelease ?? null }
  }
  if (resolvedIn.startsWith(commitPrefix)) {
    const commit = resolvedIn.slice(commitPrefix.length).toLowerCase()
    return { ...resolved, resolved_in: 'commit', resolved_commit: commit }
  }
  return { ...resolved, resolved_in: 'release', resolved_release: resolvedIn }
}

/** The release of `now` and `next_release` is a fact of the moment and no part of the request. */
function isSameResolution(issue: ResolvedColumns, asked: ResolvedColumns): boolean {
  if ((issue.resolved_in ?? 'now') !== asked.resolved_in) return false
  if (asked.resolved_in === 'release') return issue.resolved_release === asked.resolved_release
  return asked.resolved_in !== 'commit' || issue.resolved_commit === asked.resolved_commit
}

type IgnoredColumns = Pick<
  IssueState,
  'ignored_until' | 'ignored_until_count' | 'ignored_until_users' | 'ignored_until_escalating'
>

function ignoringOf(
  { count }: CountedState,
  until: NonNullable<IssueChange['ignore_until']> | null,
): IgnoredColumns {
  if (until === null) return notIgnored
  return {
    ignored_until: until.at === undefined ? null : new Date(until.at),
    ignored_until_count: until.events === undefined ? null : count + until.events,
    ignored_until_users: until.users ?? null,
    ignored_until_escalating: until.escalating ?? false,
  }
}

function isSameIgnoring(issue: IgnoredColumns, asked: IgnoredColumns): boolean {
  return (
    issue.ignored_until?.getTime() === asked.ignored_until?.getTime() &&
    issue.ignored_until_count === asked.ignored_until_count &&
    issue.ignored_until_users === asked.ignored_until_users &&
    issue.ignored_until_escalating === asked.ignored_until_escalating
  )
}

function statusData(from: IssueStatus, next: IssueState): Record<string, unknown> {
  const { status: to } = next
  if (to === 'resolved') {
    const { resolved_in, resolved_release: release, resolved_commit: commit } = next
    return { from, to, resolved_in, ...given({ release, commit }) }
  }
  if (to === 'unresolved') return { from, to }
  const until = given({
    at: next.ignored_until?.toISOString() ?? null,
    events: next.ignored_until_count,
    users: next.ignored_until_users,
    escalating: next.ignored_until_escalating ? true : null,
  })
  return Object.keys(until).length === 0 ? { from, to } : { from, to, until }
}

function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
