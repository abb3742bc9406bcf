/**
 * Lets alert rules fire because of what people do. Called once in the transaction of the
 * action, so that a rule fires exactly if the action took place.
 */
import { storedJson, storedText } from '#schemas/stored-text.ts'
import type { Database } from '../database.ts'

interface NewIdeaCause {
  /** Id of the project. */
  readonly projectId: string
  readonly idea: { readonly id: string; readonly title: string; readonly status: string }
  readonly isPending: boolean
  readonly now: Date
}

const quoteCharactersMax = 1_000

export function fireNewIdea(
  pg: Database,
  { projectId, idea, isPending, now }: NewIdeaCause,
): Promise<void> {
  return fireRules(pg, 'id', projectId, {
    type: 'new_idea',
    cause: `idea:${idea.id}`,
    value: null,
    reason: isPending ? 'A new idea awaits moderation.' : 'Somebody has had an idea.',
    data: { idea },
    now,
  })
}

export interface IdeaStatusCause {
  readonly ideaId: string
  readonly from: string
  readonly to: string
  readonly now: Date
}

/** Call it after the idea has changed. */
export async function fireIdeaStatus(
  pg: Database,
  { ideaId, from, to, now }: IdeaStatusCause,
): Promise<void> {
  // Two changes of one idea wait for each other, and so have different times.
  const cause = `idea_status:${ideaId}:${from}:${to}:${now.getTime()}`
  await pg.query(
    `select fire_rules(p.dsn_id, 'idea_status', $2, $3, $4,
         jsonb_build_object('idea', jsonb_build_object('id', i.id, 'title', i.title, 'status', i.status)), $5)
       from ideas i join projects p on p.id = i.project_id where i.id = $1`,
    [ideaId, cause, to, `The status of an idea is ${to} instead of ${from}.`, now],
  )
}

export interface FeedbackCause {
  /** DSN number of the project. */
  readonly dsnId: number
  readonly feedback: { readonly id: string; readonly message: string }
  readonly now: Date
}

export function fireNewFeedback(
  pg: Database,
  { dsnId, feedback: { id, message }, now }: FeedbackCause,
): Promise<void> {
  return fireRules(pg, 'dsn_id', dsnId, {
    type: 'new_feedback',
    cause: `feedback:${id}`,
    value: null,
    reason: 'Somebody has sent feedback.',
    data: { feedback: { id, message: message.slice(0, quoteCharactersMax) } },
    now,
  })
}

interface Cause {
  readonly type: string
  readonly cause: string
  readonly value: string | null
  readonly reason: string
  readonly data: object
  readonly now: Date
}

async function fireRules(
  pg: Database,
  column: 'id' | 'dsn_id',
  project: string | number,
  { type, cause, value, reason, data, now }: Cause,
): Promise<void> {
  await pg.query(
    `select fire_rules(dsn_id, $2, $3, $4, $5, $6, $7) from projects where ${column} = $1`,
    [project, type, storedText(cause), value, storedText(reason), storedJson(data), now],
  )
}
