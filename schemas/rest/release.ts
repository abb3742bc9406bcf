import { z } from 'zod'
import { PageQuery } from './page.ts'

export const ReleaseListQuery = z.strictObject(PageQuery)
export type ReleaseListQuery = z.infer<typeof ReleaseListQuery>

export const ReleaseItem = z
  .object({
    version: z.string(),
    first_event: z.string(),
    last_event: z.string(),
    event_count: z.number().int(),
    new_issues: z.number().int().describe('Issues first seen in this release.'),
  })
  .meta({
    id: 'Release',
    example: {
      version: 'shop@1.4.1',
      first_event: '2026-11-20T08:15:00.000Z',
      last_event: '2026-11-21T01:02:03.456Z',
      event_count: 42,
      new_issues: 1,
    },
  })
export type ReleaseItem = z.infer<typeof ReleaseItem>
