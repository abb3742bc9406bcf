/** Which topics changed between two reads of the same list. */
import { type LiveChange, type LiveTopic, liveIdsMax } from '#schemas/rest/live.ts'
import { activitiesMax, fieldSeparator, rowSeparator, type VersionPart } from './version-store.ts'

const topicOfPart = {
  seen: 'issues',
  decided: 'issues',
  activity: 'issues',
  monitors: 'monitors',
  releases: 'releases',
  feedback: 'feedback',
  ideas: 'ideas',
  top_ideas: 'ideas',
  pending_ideas: 'moderation',
  pending_comments: 'moderation',
  alerts: 'alerts',
  campaigns: 'campaigns',
  imports: 'imports',
} as const satisfies Partial<Record<VersionPart, LiveTopic>>

/**
 * What people did, by the subject of the audit entry. The ids of comments are no ids of a topic.
 */
const topicsOfSubject: Readonly<Record<string, readonly LiveTopic[]>> = {
  idea: ['ideas', 'moderation'],
  comment: ['ideas', 'moderation'],
  feedback: ['feedback'],
  campaign: ['campaigns'],
  contact_import: ['imports'],
}

export function compareVersions(part: VersionPart, before: string, after: string): LiveChange[] {
  if (before === after || part === 'activity_span') return []
  const [old, current] = [parse(before), parse(after)]
  if (part === 'audit') return changesInAudit(old, current)
  const changed = new Set<string>()
  for (const [id, version] of current) if (old.get(id) !== version) changed.add(id)
  // A row that has left the list may be gone. Activities only leave it because newer ones, perhaps
  // of other projects, follow them.
  if (part !== 'activity') for (const id of old.keys()) if (!current.has(id)) changed.add(id)
  // Rows of the same versions may come in another order.
  if (changed.size === 0) return []
  const changes: LiveChange[] = [{ topic: topicOfPart[part], ids: bounded(changed) }]
  if (part === 'seen' && hasNewEvents(old, current)) changes.push({ topic: 'events', ids: null })
  return changes
}

/** Whether more changes of issues were made than the list holds, so that some may be missing. */
export function isActivityMissing(before: string, after: string): boolean {
  const [, lastBefore = '0'] = before.split('/')
  const [firstAfter = '0', , count = '0'] = after.split('/')
  return Number(count) >= activitiesMax && Number(firstAfter) > Number(lastBefore)
}

/** One change for each topic. */
export function mergeChanges(changes: readonly LiveChange[]): LiveChange[] {
  const merged = new Map<LiveTopic, Set<string> | null>()
  for (const { topic, ids } of changes) {
    const known = merged.get(topic)
    if (known === null) continue
    if (ids === null) merged.set(topic, null)
    else merged.set(topic, new Set([...(known ?? []), ...ids]))
  }
  return [...merged].map(([topic, ids]) => ({ topic, ids: ids === null ? null : bounded(ids) }))
}

function parse(rows: string): Map<string, string> {
  if (rows === '') return new Map()
  return new Map(
    rows.split(rowSeparator).map((row) => row.split(fieldSeparator, 2) as [string, string]),
  )
}

function bounded(ids: ReadonlySet<string>): string[] | null {
  return ids.size > liveIdsMax ? null : [...ids]
}

/** The version of an issue ends in its number of events. */
function hasNewEvents(old: ReadonlyMap<string, string>, current: ReadonlyMap<string, string>) {
  for (const [id, version] of current) {
    if (countIn(old.get(id)) !== countIn(version)) return true
  }
  return false
}

function countIn(version: string | undefined): string | undefined {
  return version?.slice(version.indexOf('/') + 1)
}

function changesInAudit(old: ReadonlyMap<string, string>, current: ReadonlyMap<string, string>) {
  const changes: LiveChange[] = []
  for (const [entryId, subject] of current) {
    if (old.has(entryId)) continue
    const [type = '', id = ''] = subject.split('/', 2)
    const ids = type === 'comment' || id === '' ? null : [id]
    for (const topic of topicsOfSubject[type] ?? []) changes.push({ topic, ids })
  }
  return mergeChanges(changes)
}
