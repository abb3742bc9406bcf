/** Alert emails that a person has stopped (http-api: Alerts). */
import { z } from 'zod'
import { pageOf } from '../page.ts'

export const AlertStop = z
  .object({
    id: z.guid().describe('Of the rule or the issue.'),
    type: z.enum(['rule', 'issue']),
    name: z.string().describe('Name of the rule, or title of the issue.'),
    project: z.object({ id: z.guid(), name: z.string() }),
    created_at: z.string(),
  })
  .meta({ id: 'AlertStop' })
export type AlertStop = z.infer<typeof AlertStop>

export const AlertStopList = pageOf(AlertStop).meta({ id: 'AlertStopList' })
