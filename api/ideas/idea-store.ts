/** Single ideas and their history. */
import { v7 as uuidv7 } from 'uuid'
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import { fireIdeaStatus } from '../alerts/fire-rules-store.ts'
import type { Database } from '../database.ts'
import { feedIdeaCreated, feedIdeaStatus } from '../webhooks/feed/feed-idea.ts'
import { ideaJson, isoTime } from './idea-view.ts'

export interface IdeaName {
  readonly projectId: string
  readonly ideaId: string
}

/** The idea as JSON text, for a visitor. Undefined if the visitor may not see it. */
export async function findIdeaJson(
  pg: Database,
  { projectId, ideaId, enduserId }: IdeaName & { enduserId: string | undefined },
): Promise<string | undefined> {
  const hasViewer = enduserId !== undefined
  const viewer = '(select id from viewer)'
  const { rows } = await pg.query<{ json: string }>(
    `with viewer as (select id from endusers where project_id = $1 and enduser_id = $3)
     select ${ideaJson(hasViewer ? viewer : undefined)} as json
     from ideas i join idea_counts c on c.idea_id = i.id
     where i.id = $2 and i.project_id = $1
       and (i.moderation = 'published' or (i.moderation = 'pending' and i.author_id = ${viewer}))`,
    [projectId, ideaId, enduserId ?? null],
  )
  return rows[0]?.json
}

/** Id of a recent idea of the same user with the same title. */
export async function findRecentTwin(
  pg: Database,
  twin: { projectId: string; authorId: string; title: string; since: Date },
): Promise<string | undefined> {
  // Locks the row of the user, so that concurrent suggestions of one user are serialized.
  await pg.query('select from endusers where id = $1 for no key update', [twin.authorId])
  const { rows } = await pg.query<{ id: string }>(
    `select id from ideas where project_id = $1 and author_id = $2 and title = $3 and created_at >= $4
       and moderation <> 'rejected' order by created_at, id limit 1`,
    [twin.projectId, twin.authorId, twin.title, twin.since],
  )
  return rows[0]?.id
}

export interface NewIdea {
  readonly id: string
  readonly projectId: string
  readonly title: string
  readonly description: string
  readonly status: Exclude<IdeaStatus, 'Duplicate'>
  readonly moderation: 'published' | 'pending'
  /** Null: the team. */
  readonly authorId: string | null
  readonly authorEmail: string | null
  readonly now: Date
}

export async function addIdea(pg: Database, idea: NewIdea): Promise<void> {
  await pg.query(
    `insert into ideas (id, project_id, title, description, status, moderation, author_id, author_email,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      idea.id,
      idea.projectId,
      idea.title,
      idea.description,
      idea.status,
      idea.moderation,
      idea.authorId,
      idea.authorEmail,
      idea.now,
    ],
  )
}

export async function readStatus(
  pg: Database,
  { projectId, ideaId }: IdeaName,
): Promise<IdeaStatus | undefined> {
  const { rows } = await pg.query<{ status: IdeaStatus }>(
    'select status from ideas where project_id = $1 and id = $2',
    [projectId, ideaId],
  )
  return rows[0]?.status
}

export interface NewIdeaEvent {
  readonly ideaId: string
  readonly kind:
    | 'created'
    | 'status'
    | 'response'
    | 'merged'
    | 'unmerged'
    | 'approved'
    | 'rejected'
    | 'edited'
    | 'tagged'
  readonly fromStatus?: IdeaStatus
  readonly toStatus?: IdeaStatus
  readonly actor?: string
  readonly details?: object
  readonly now: Date
}

/** Also emits the event for webhooks and lets rules fire. Call it after the idea has changed. */
export async function addIdeaEvent(pg: Database, event: NewIdeaEvent): Promise<void> {
  await pg.query(
    `insert into idea_events (id, idea_id, kind, from_status, to_status, actor, details, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      uuidv7(),
      event.ideaId,
      event.kind,
      event.fromStatus ?? null,
      event.toStatus ?? null,
      event.actor ?? null,
      JSON.stringify(event.details ?? {}),
      event.now,
    ],
  )
  const { ideaId, kind, fromStatus: from, toStatus: to, now } = event
  if (kind === 'created') await feedIdeaCreated(pg, { ideaId, now })
  else if (from !== undefined && to !== undefined && from !== to) {
    await feedIdeaStatus(pg, { ideaId, from, to, now })
    await fireIdeaStatus(pg, { ideaId, from, to, now })
  }
}

export interface TimelineEntry {
  readonly kind: 'created' | 'status' | 'response' | 'merged' | 'unmerged'
  readonly from_status: IdeaStatus | null
  readonly to_status: IdeaStatus | null
  readonly at: string
}

const timelineMax = 200

/** The public part of the history, without the names of the team. */
export async function listTimeline(pg: Database, ideaId: string): Promise<TimelineEntry[]> {
  const { rows } = await pg.query<TimelineEntry>(
    `select kind, from_status, to_status, ${isoTime('at')} as at from idea_events
     where idea_id = $1 and kind in ('created', 'status', 'response', 'merged', 'unmerged')
     order by idea_events.at, id limit ${timelineMax}`,
    [ideaId],
  )
  return rows
}
