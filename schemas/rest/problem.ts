import { z } from 'zod'

/** The body of every error reply (http-api: Conventions). */
export const Problem = z
  .object({
    error: z.string().describe('A sentence for people.'),
    code: z.string().describe('A stable code for programs.'),
    details: z
      .array(
        z.object({
          field: z.string(),
          rule: z.string(),
          position: z
            .number()
            .int()
            .optional()
            .describe('Index of the character in the text, from 0.'),
          end: z.number().int().optional().describe('Index behind the last wrong character.'),
        }),
      )
      .optional()
      .describe('The invalid fields and their rules.'),
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
