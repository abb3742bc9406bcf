/** Events (http-api: Issues). */
import { z } from 'zod'
import { levels } from './issue.ts'
import { FilterText, Instant, PageQuery, SearchQueryText } from './page.ts'

export const EventListQuery = z.strictObject({
  ...PageQuery,
  query: SearchQueryText.optional().describe(
    'Fields and text, all of which must hold: `level:error !environment:dev times_seen:>100 "out of memory"`.',
  ),
  level: z.enum(levels).optional(),
  environment: FilterText.optional(),
  release: FilterText.optional(),
  component: FilterText.optional(),
  since: Instant.optional().describe('Received at or after this time.'),
  until: Instant.optional().describe('Received before this time.'),
})
export type EventListQuery = z.infer<typeof EventListQuery>

const EventUser = z.object({
  id: z.string().nullable(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  ip: z.string().nullable(),
})

export const EventItem = z
  .object({
    id: z.string().describe('32 hex digits, as the client sent it.'),
    issue_id: z.string().nullable(),
    title: z.string(),
    level: z.string(),
    timestamp: z.string().describe('When the event happened, by the clock of the client.'),
    received_at: z.string(),
    release: z.string().nullable(),
    environment: z.string().nullable(),
    component: z.string().nullable(),
    user: EventUser.nullable(),
    tags: z
      .record(z.string(), z.string())
      .describe('Tags that the client has set, and facts of the event as tags.'),
    derived_tags: z
      .array(z.string())
      .describe('Names in `tags` that the client has not set. A search has fields for them.'),
    stands_for: z
      .number()
      .int()
      .describe(
        'Further events of its issue that were counted and not stored, because sampling kept this one of them.',
      ),
  })
  .meta({
    id: 'Event',
    example: {
      id: '9ec79c33ec9942ab8353589fcb2e04dc',
      issue_id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      title: "TypeError: Cannot read properties of undefined (reading 'id')",
      level: 'error',
      timestamp: '2026-11-21T01:02:03.412Z',
      received_at: '2026-11-21T01:02:03.456Z',
      release: 'shop@1.4.1',
      environment: 'production',
      component: 'worker',
      user: { id: '17', email: null, name: null, ip: null },
      tags: { queue: 'orders', release: 'shop@1.4.1', browser: 'Chrome 126.0.0' },
      derived_tags: ['release', 'browser'],
      stands_for: 0,
    },
  })
export type EventItem = z.infer<typeof EventItem>

export const EventDetail = EventItem.extend({
  culprit: z.string(),
  platform: z.string(),
  exception_type: z.string().nullable(),
  logger: z.string().nullable(),
  dist: z.string().nullable(),
  server_name: z.string().nullable(),
  sdk: z.string().nullable(),
  fingerprint: z.string(),
  grouping: z.unknown().describe('How this event was grouped.'),
  payload: z.unknown().describe('The whole event after normalization.'),
  previous_event_id: z.string().nullable().describe('The previous event of its issue.'),
  next_event_id: z.string().nullable(),
}).meta({ id: 'EventDetail' })
export type EventDetail = z.infer<typeof EventDetail>
