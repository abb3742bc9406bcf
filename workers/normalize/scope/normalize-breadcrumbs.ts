/**
 * Breadcrumbs: steps before the error, oldest first. If there are too many, the newest are kept.
 */
import { breadcrumbsPerEventMax } from '#schemas/limits.ts'
import type { Draft } from '../draft.ts'
import { crumbBounds, fieldCharactersMax } from '../field-limits.ts'
import { isoTime } from '../normalize-time.ts'
import { PlainCrumb, type PlainData } from '../plain-data/plain-data.ts'
import { orAbsent, type StoredBreadcrumb } from '../stored-event.ts'
import { boundObject } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import { readLevel } from '../values/read-level.ts'
import { readTimestamp } from '../values/read-timestamp.ts'
import { type JsonObject, readAnyText, readText, readValues } from '../values/read-value.ts'

export function normalizeBreadcrumbs({ sent, clockDriftMs, notes, stored }: Draft): void {
  const crumbs = readValues(sent.breadcrumbs, 'breadcrumbs', notes)
  if (crumbs.length > breadcrumbsPerEventMax) {
    notes.add('breadcrumbs', `cut to ${breadcrumbsPerEventMax} breadcrumbs`)
  }
  if (crumbs.length === 0) return
  const values = crumbs
    .slice(-breadcrumbsPerEventMax)
    .map((crumb) => readCrumb(crumb, clockDriftMs, notes))
  stored.breadcrumbs = { values }
}

function readCrumb(
  crumb: JsonObject | PlainCrumb,
  driftMs: number,
  notes: Notes,
): StoredBreadcrumb | PlainData {
  if (crumb instanceof PlainCrumb) {
    crumb.setTime(readTime(crumb.timeMs, driftMs))
    return crumb
  }
  const { timestamp, type, level, category, message, data, event_id, origin } = crumb
  const text = (value: unknown, field: string, charactersMax: number) =>
    readText(value, { field: `breadcrumbs.${field}`, charactersMax, notes })
  return {
    timestamp: readTime(readTimestamp(timestamp), driftMs),
    type: text(type, 'type', 64) || 'default',
    level: readLevel(level) ?? 'info',
    category: orAbsent(text(category, 'category', fieldCharactersMax.category)),
    message: orAbsent(
      readAnyText(message, {
        field: 'breadcrumbs.message',
        charactersMax: fieldCharactersMax.message,
        notes,
      }),
    ),
    data: boundObject(data, crumbBounds, { field: 'breadcrumbs.data', notes }),
    event_id: orAbsent(text(event_id, 'event_id', 64)),
    origin: orAbsent(text(origin, 'origin', 64)),
  }
}

function readTime(timeMs: number | undefined, driftMs: number): string | undefined {
  return timeMs === undefined ? undefined : isoTime(timeMs + driftMs)
}
