/** Outcomes of the items of a project (http-api: Issues, `GET outcomes`). */
import { z } from 'zod'
import { Instant } from './page.ts'

export const outcomeGroups = ['outcome', 'reason', 'category', 'key', 'component', 'sdk'] as const
export type OutcomeGroup = (typeof outcomeGroups)[number]

const groupsDefault = 'outcome,reason,category,key'

export const OutcomeQuery = z.strictObject({
  since: Instant.optional().describe('Default: 24 hours ago, with `interval=day` 30 days ago.'),
  until: Instant.optional().describe('Default: now.'),
  interval: z.enum(['hour', 'day']).default('hour'),
  group_by: z
    .string()
    .max(100)
    .default(groupsDefault)
    .describe(`Any of ${outcomeGroups.join(', ')}, comma separated.`)
    .transform((list, check): OutcomeGroup[] => {
      const names = [...new Set(list.split(',').map((name) => name.trim()))]
      const unknown = names.find((name) => !(outcomeGroups as readonly string[]).includes(name))
      if (unknown === undefined) return names as OutcomeGroup[]
      check.addIssue(`must be a list of ${outcomeGroups.join(', ')}`)
      return z.NEVER
    }),
  sdk: z
    .string()
    .max(64)
    .optional()
    .describe('Only items of this SDK, such as `sentry.python`; empty: those of unknown SDKs.'),
})
export type OutcomeQuery = z.infer<typeof OutcomeQuery>

/** Contains only the fields that the report is grouped by. */
const Total = z.object({
  outcome: z.string().optional(),
  reason: z.string().nullable().optional(),
  category: z.string().optional(),
  key: z.string().nullable().optional().describe('Public key of the DSN.'),
  component: z.string().nullable().optional(),
  sdk: z
    .string()
    .nullable()
    .optional()
    .describe('Name of the SDK without its version; null if it is unknown.'),
  quantity: z.number().int(),
})

/** The sums of one category over all groups. Clients report what they dropped themselves. */
const Arrival = z.object({
  category: z.string(),
  accepted: z.number().int(),
  never_arrived: z
    .number()
    .int()
    .describe('Items that clients dropped and reported; the sum of `client_discard`.'),
})

export const OutcomeReport = z
  .object({
    items: z.array(Total.extend({ at: z.string() })),
    totals: z.array(Total).describe('Largest quantity first.'),
    arrivals: z.array(Arrival).describe('By category, over the whole time range.'),
  })
  .meta({
    id: 'OutcomeReport',
    example: {
      items: [
        {
          at: '2026-11-21T01:00:00.000Z',
          outcome: 'accepted',
          reason: null,
          category: 'error',
          key: '4f0e0c5d1f1c4c7b9a8e2d3b6a7c8d9e',
          quantity: 42,
        },
      ],
      totals: [
        {
          outcome: 'accepted',
          reason: null,
          category: 'error',
          key: '4f0e0c5d1f1c4c7b9a8e2d3b6a7c8d9e',
          quantity: 42,
        },
      ],
      arrivals: [{ category: 'error', accepted: 42, never_arrived: 3 }],
    },
  })
export type OutcomeReport = z.infer<typeof OutcomeReport>
