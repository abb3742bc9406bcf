import type { EventId } from '#schemas/ids.ts'
import type { ApiContext } from '../context.ts'
import { getEvent } from '../events/get-event.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { publicPath } from './brief-path.ts'
import { eventSections } from './event-sections.ts'
import { untrustedNotice } from './untrusted-text.ts'

/** An event as Markdown for assistants and people, with the facts that other programs need. */
export interface EventBrief {
  readonly event_id: string
  readonly issue_id: string | null
  readonly project_id: string
  readonly timestamp: string
  readonly received_at: string
  readonly stands_for: number
  readonly previous_event_id: string | null
  readonly next_event_id: string | null
  readonly brief: string
}

/** Undefined if the project has no such event. The brief has at most `briefCharactersMax`. */
export async function briefEvent(
  ctx: ApiContext,
  project: StoredProject,
  eventId: EventId,
): Promise<EventBrief | undefined> {
  const event = await getEvent(project, eventId, ctx)
  if (event === undefined) return undefined
  const { id, issue_id, timestamp, received_at, stands_for } = event
  const { previous_event_id, next_event_id } = event
  const facts = [
    issue_id === null
      ? 'Issue: none'
      : `Issue: ${publicPath(ctx, project, `issues/${issue_id}.md`)}`,
    `Happened: ${timestamp}; received: ${received_at}`,
    ...(stands_for === 0 ? [] : [`Stands for ${stands_for} further events that were not stored`]),
    `Previous event: ${previous_event_id ?? 'none'}; next event: ${next_event_id ?? 'none'}`,
    `JSON: ${publicPath(ctx, project, `events/${id}`)}`,
  ]
  const brief = [
    `# Event ${id}`,
    facts.map((fact) => `- ${fact}`).join('\n'),
    untrustedNotice,
    ...eventSections(event),
  ].join('\n\n')
  return {
    event_id: id,
    issue_id,
    project_id: project.id,
    timestamp,
    received_at,
    stands_for,
    previous_event_id,
    next_event_id,
    brief: `${brief}\n`,
  }
}
