/** Live updates of the dashboard: what the event stream `GET /api/v1/live` announces. */
import { z } from 'zod'

export const liveTopics = [
  'issues',
  'events',
  'monitors',
  'releases',
  'feedback',
  'ideas',
  'moderation',
  'campaigns',
  'imports',
  'alerts',
] as const

export const LiveTopic = z.enum(liveTopics)
export type LiveTopic = z.infer<typeof LiveTopic>

export const liveIdsMax = 50

/** The data of an event `changed`. */
export const LiveChange = z.object({
  topic: LiveTopic,
  ids: z
    .array(z.string())
    .max(liveIdsMax)
    .nullable()
    .describe('What changed; null: anything of the topic may have.'),
})
export type LiveChange = z.infer<typeof LiveChange>
