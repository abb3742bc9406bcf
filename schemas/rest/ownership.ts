/** Ownership rules of a project: whose issues are whose (schemas/ownership/ parses them). */
import { z } from 'zod'
import { ownershipCharactersMax } from '../ownership/parse-ownership.ts'

const matchedCharactersMax = 2_000
const tagsMatchedMax = 50

const Rules = z
  .string()
  .max(ownershipCharactersMax)
  .describe('Lines of a pattern and its owners, as in a `CODEOWNERS` file.')

export const OwnershipBody = z
  .strictObject({
    rules: Rules,
    skip_invalid: z
      .boolean()
      .default(false)
      .describe('Stores the text although some lines are invalid; they are skipped.'),
  })
  .meta({
    id: 'OwnershipBody',
    example: { rules: 'src/api/**  #server ada@example.com\nmodule:com.shop.*  #mobile\n' },
  })
export type OwnershipBody = z.infer<typeof OwnershipBody>

const Rule = z.object({
  line: z.number().int().describe('From 1.'),
  subject: z.string().describe('`path`, `module`, `url`, or `tags.<key>`.'),
  pattern: z.string(),
  owners: z.array(z.string()).describe('`#team-slug`, or the email address of a member.'),
})
export type OwnershipRuleView = z.infer<typeof Rule>

const Warning = z.object({ line: z.number().int(), message: z.string() })

export const OwnershipRules = z
  .object({
    rules: z.string(),
    parsed: z.array(Rule).describe('The last rule that matches an event decides.'),
    warnings: z
      .array(Warning)
      .describe(
        'Lines that are skipped, owners that are no member or team, and tags that no event has.',
      ),
  })
  .meta({
    id: 'OwnershipRules',
    example: {
      rules: 'src/api/**  #server\n',
      parsed: [{ line: 1, subject: 'path', pattern: 'src/api/**', owners: ['#server'] }],
      warnings: [{ line: 1, message: 'the organization has no team "server"' }],
    },
  })
export type OwnershipRules = z.infer<typeof OwnershipRules>

const Matched = z.string().min(1).max(matchedCharactersMax)

export const OwnershipTrial = z
  .strictObject({
    path: Matched.optional(),
    module: Matched.optional(),
    url: Matched.optional(),
    tags: z.record(z.string().min(1).max(200), Matched).optional(),
    rules: Rules.optional().describe('Rules to try instead of the stored ones.'),
  })
  .refine(({ path, module, url, tags }) => (path ?? module ?? url ?? tags) !== undefined, {
    path: ['path'],
    error: 'or module, url or tags must be given',
  })
  .refine(({ tags = {} }) => Object.keys(tags).length <= tagsMatchedMax, {
    path: ['tags'],
    error: `must have at most ${tagsMatchedMax} tags`,
  })
  .meta({ id: 'OwnershipTrial', example: { path: 'src/api/orders.ts' } })
export type OwnershipTrial = z.infer<typeof OwnershipTrial>

export const OwnershipMatch = z
  .object({
    rule: Rule.nullable().describe('The rule that decides; null when none matches.'),
    assignee: z
      .object({ type: z.enum(['person', 'team']), id: z.string(), name: z.string() })
      .nullable()
      .describe('The first of its owners that exists: who gets a new issue.'),
  })
  .meta({
    id: 'OwnershipMatch',
    example: {
      rule: { line: 1, subject: 'path', pattern: 'src/api/**', owners: ['#server'] },
      assignee: { type: 'team', id: '019ab0c4-6d10-7a51-8a6e-0c1f6a8f9b01', name: 'Back end' },
    },
  })
export type OwnershipMatch = z.infer<typeof OwnershipMatch>
