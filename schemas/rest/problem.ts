import { z } from 'zod'

/** The body of every reply that is not a success (http-api: Conventions). */
export const Problem = z
  .object({
    error: z.string().describe('One sentence for a person.'),
    code: z.string().describe('A stable word for a program.'),
    details: z
      .array(
        z.object({
          field: z.string(),
          rule: z.string(),
          position: z.number().int().optional().describe('Where in the text, from 0.'),
        }),
      )
      .optional()
      .describe('Which field broke which rule.'),
  })
  .meta({
    id: 'Problem',
    example: {
      error: '`limit`: must be a whole number from 1 to 100.',
      code: 'validation_failed',
      details: [{ field: 'limit', rule: 'must be a whole number from 1 to 100' }],
    },
  })
export type Problem = z.infer<typeof Problem>
