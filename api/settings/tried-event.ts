/** The event that settings are tried on: one that is given, or a stored one of the project. */
import { randomBytes } from 'node:crypto'
import { scrubRuleOf } from '#platform/scrub/scrub-event.ts'
import { type EventId, normalizeEventId, undashed } from '#schemas/ids.ts'
import { eventBytesMax } from '#schemas/limits.ts'
import type { SettingsTrial, SettingsTrialResult } from '#schemas/rest/settings/settings-trial.ts'
import type { ApiContext } from '../context.ts'
import { findEvent } from '../events/event-store.ts'
import { found } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'

export interface TriedEvent {
  readonly source: SettingsTrialResult['source']
  readonly eventId: EventId
  readonly receivedAtMs: number
  readonly component?: string
  /** JSON text. */
  readonly payload: string
  readonly removedBefore: SettingsTrialResult['removed']
}

export async function triedEvent(
  ctx: Pick<ApiContext, 'clickhouse' | 'clock'>,
  project: StoredProject,
  event: SettingsTrial['event'],
  storedId: string | undefined,
): Promise<TriedEvent> {
  if ((event === undefined) === (storedId === undefined)) {
    throw invalidField('event', 'must be set, or `event_id`, and not both')
  }
  if (storedId !== undefined) return storedEvent(ctx, project, storedId)
  const eventId = ownIdOf(event) ?? (randomBytes(16).toString('hex') as EventId)
  const payload = typeof event === 'string' ? event : JSON.stringify(event)
  const receivedAtMs = ctx.clock.nowMs()
  return { source: 'given', eventId, receivedAtMs, payload, removedBefore: [] }
}

/** Ingest takes the id of an event without one in its envelope from the event itself. */
function ownIdOf(event: SettingsTrial['event']): EventId | undefined {
  const given: unknown = typeof event === 'string' ? parsed(event) : event
  return normalizeEventId((given as { readonly event_id?: unknown } | null | undefined)?.event_id)
}

async function storedEvent(
  ctx: Pick<ApiContext, 'clickhouse' | 'clock'>,
  project: StoredProject,
  id: string,
): Promise<TriedEvent> {
  const eventId = found(normalizeEventId(id))
  const row = found(await findEvent(ctx.clickhouse, { projectId: project.dsnId, eventId }))
  const { payload, notes } = withoutNotes(row.payload)
  if (Buffer.byteLength(payload) > eventBytesMax) {
    throw invalidField(
      'event_id',
      `must be an event whose stored payload has at most ${eventBytesMax} bytes, as events that are sent`,
    )
  }
  return {
    source: 'stored',
    eventId: undashed(row.event_id) as EventId,
    receivedAtMs: row.received_at_ms,
    ...(row.component === '' ? {} : { component: row.component }),
    payload,
    removedBefore: notes,
  }
}

/** Notes are about the event as it was sent. They are written again when it is normalised. */
function withoutNotes(text: string): {
  readonly payload: string
  readonly notes: SettingsTrialResult['removed']
} {
  const payload: unknown = parsed(text)
  if (typeof payload !== 'object' || payload === null) return { payload: text, notes: [] }
  const { notes, ...rest } = payload as { readonly notes?: unknown }
  return {
    payload: JSON.stringify(rest),
    notes: (Array.isArray(notes) ? notes : []).flatMap(removalOf),
  }
}

function removalOf(note: unknown): SettingsTrialResult['removed'] {
  const { field, rule } = (note ?? {}) as { readonly field?: unknown; readonly rule?: unknown }
  if (typeof field !== 'string' || typeof rule !== 'string') return []
  const removedBy = scrubRuleOf(rule)
  return removedBy === rule ? [] : [{ field, rule: removedBy }]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
