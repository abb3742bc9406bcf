/** How an event would be grouped with other grouping rules (`grouping/try`). */
import { z } from 'zod'
import { groupingFields } from '../../project-settings.ts'
import { SettingsTrial } from './settings-trial.ts'
import { groupingWarnings } from './updated-settings.ts'

const tried =
  'Rules to try instead of the stored ones, which apply when the field is left out. Nothing is saved.'

export const GroupingTrial = z
  .strictObject({
    event: SettingsTrial.shape.event,
    event_id: SettingsTrial.shape.event_id,
    fingerprint_rules: groupingFields.fingerprint_rules.optional().describe(tried),
    stack_trace_rules: groupingFields.stack_trace_rules.optional().describe(tried),
  })
  .meta({
    id: 'GroupingTrial',
    example: {
      event_id: '9ec79c33ec9942ab8353589fcb2e04dc',
      fingerprint_rules: 'type:TimeoutError -> timeout, {{ transaction }}',
    },
  })
export type GroupingTrial = z.infer<typeof GroupingTrial>

/** What grouping makes of an event. */
export const TriedGrouping = z.object({
  hashes: z
    .array(z.object({ variant: z.string(), hash: z.string() }))
    .describe(
      'The first one that an issue owns decides; the first is the fingerprint of the event.',
    ),
  title: z.string(),
  culprit: z.string(),
  explanation: z
    .looseObject({ summary: z.string() })
    .describe('Why it is grouped so, as issues show it. `summary` is readable text.'),
})

const TriedSide = TriedGrouping.extend({
  issue: z
    .object({ id: z.string(), short_id: z.string(), title: z.string() })
    .nullable()
    .describe('The issue that the event would belong to. Null: a new one.'),
})

export const MatchedRule = z.object({
  kind: z.enum(['fingerprint', 'stack_trace']),
  line: z.number().int().describe('From 1, in the text of the rules of that kind.'),
  source: z.string().describe('The line.'),
})

export const GroupingTrialResult = z
  .object({
    before: TriedSide.describe('With the stored rules.'),
    after: TriedSide.describe('With the rules of the request.'),
    changes: z
      .array(z.enum(['issue', 'hashes', 'title', 'culprit']))
      .describe('What the rules of the request change. An empty list: nothing.'),
    rules: z
      .array(MatchedRule)
      .describe('The rules of the request that match the event, in the order of their use.'),
    is_complete: z
      .boolean()
      .describe('False: the rules take too long for this event, and some were not tried.'),
    source: z.enum(['given', 'stored']).describe('`stored`: the event of `event_id`.'),
    warnings: groupingWarnings,
  })
  .meta({
    id: 'GroupingTrialResult',
    example: {
      before: {
        hashes: [{ variant: 'app', hash: '6b1f0f4c0b4a4f5e9d7a3c2b1a09f8e7' }],
        title: 'TimeoutError: no answer within 5 s',
        culprit: 'shop.stock in reserve',
        explanation: { summary: 'Grouped by the exception type and 4 in-app frames.' },
        issue: {
          id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
          short_id: 'SHOP-12',
          title: 'TimeoutError: no answer within 5 s',
        },
      },
      after: {
        hashes: [{ variant: 'fingerprint', hash: '90aa1c0de5f64b7f8a2d3c4b5a697887' }],
        title: 'TimeoutError: no answer within 5 s',
        culprit: 'shop.stock in reserve',
        explanation: { summary: "Grouped by the project's fingerprint rule in line 1." },
        issue: null,
      },
      changes: ['issue', 'hashes'],
      rules: [
        {
          kind: 'fingerprint',
          line: 1,
          source: 'type:TimeoutError -> timeout, {{ transaction }}',
        },
      ],
      is_complete: true,
      source: 'stored',
      warnings: [],
    },
  })
export type GroupingTrialResult = z.infer<typeof GroupingTrialResult>
