/**
 * What the settings of a project would do to an event (http-api: Project settings, `settings/try`).
 */
import { z } from 'zod'
import { eventBytesMax } from '../../limits.ts'
import { ProjectSettingsChange } from '../../project-settings.ts'

export const removalsShownMax = 500
export const changesShownMax = 500
const eventKeyCharactersMax = 200

export const SettingsTrial = z
  .strictObject({
    event: z
      .union([
        z.record(z.string().max(eventKeyCharactersMax), z.unknown()),
        z.string().max(eventBytesMax),
      ])
      .optional()
      .describe(
        'An event as SDKs send it, the payload of an `event` item: a JSON object, or its text. A text is read exactly as ingest reads it, so it may also hold what this API refuses elsewhere, such as NUL. At most 1 MiB.',
      ),
    event_id: z
      .string()
      .max(100)
      .optional()
      .describe(
        'Instead of `event`: the id of a stored event of the project. It was scrubbed and normalized when it was stored; what was removed then is gone.',
      ),
    scrubbing: ProjectSettingsChange.shape.scrubbing.describe(
      'Settings to try instead of the stored ones. Fields that are left out have the stored value.',
    ),
    filters: ProjectSettingsChange.shape.filters.describe(
      'Filters to try instead of the stored ones. Fields that are left out have the stored value.',
    ),
  })
  .meta({
    id: 'SettingsTrial',
    example: {
      event: { message: 'Login of EMP-123456 failed', extra: { password: 'hunter2' } },
      scrubbing: { patterns: ['EMP-\\d{6}'] },
      filters: { error_messages: ['*ResizeObserver loop*'] },
    },
  })
export type SettingsTrial = z.infer<typeof SettingsTrial>

const Removal = z.object({
  field: z.string().describe('The path in the event.'),
  rule: z.string().describe('What decided: the name of its key, a form, or `pattern 2`.'),
})

export const SettingsTrialResult = z
  .object({
    outcome: z
      .enum(['stored', 'filtered', 'rejected', 'unsupported'])
      .describe(
        'What would become of the event: `filtered` by a filter, `rejected` because it is not valid, `unsupported` because it is an item that is not stored.',
      ),
    reason: z
      .string()
      .nullable()
      .describe('Why it would not be stored, as in outcomes: `filtered:releases`, `too_deep`.'),
    detail: z.string().nullable().describe('The reason of a rejected event in words.'),
    filter: z
      .object({
        name: z.string().describe('The first filter that matches, a field of `filters`.'),
        rule: z.string().nullable().describe('The glob that matches, of a filter with globs.'),
        value: z
          .string()
          .nullable()
          .describe(
            'The text of the event that matches: its release, message or user agent. At most 200 characters.',
          ),
      })
      .nullable(),
    removed: z.array(Removal).describe(`At most ${removalsShownMax}.`),
    changes: z
      .array(
        z.object({
          path: z.string().describe('JSON pointer to the value in `event`.'),
          before: z.string().describe('The value before, at most 100 characters of its JSON.'),
          after: z.string().describe('The value after, in the same way.'),
          rules: z.array(z.string()),
        }),
      )
      .describe(
        `What scrubbing would change, value by value. At most ${changesShownMax}, outermost first.`,
      ),
    is_complete: z
      .boolean()
      .describe(
        'False when more was removed than is listed, or when `event` or `stored` is left out because the reply would be too large.',
      ),
    event: z
      .record(z.string(), z.unknown())
      .describe('The event after scrubbing, in the shape in which it was sent.'),
    stored: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The payload that would be stored: scrubbed and normalized. Null: none.'),
    source: z.enum(['given', 'stored']).describe('`stored`: the event of `event_id`.'),
    removed_before: z
      .array(Removal)
      .describe('What scrubbing had removed when the event of `event_id` was stored.'),
  })
  .meta({
    id: 'SettingsTrialResult',
    example: {
      outcome: 'stored',
      reason: null,
      detail: null,
      filter: null,
      removed: [
        { field: 'message', rule: 'pattern 1' },
        { field: 'extra.password', rule: 'name of its key' },
      ],
      changes: [
        {
          path: '/message',
          before: '"Login of EMP-123456 failed"',
          after: '"Login of [Filtered] failed"',
          rules: ['pattern 1'],
        },
        {
          path: '/extra/password',
          before: '"hunter2"',
          after: '"[Filtered]"',
          rules: ['name of its key'],
        },
      ],
      is_complete: true,
      event: { message: 'Login of [Filtered] failed', extra: { password: '[Filtered]' } },
      stored: {
        event_id: '9ec79c33ec9942ab8353589fcb2e04dc',
        timestamp: '2026-11-21T01:02:03.456Z',
        received: '2026-11-21T01:02:03.456Z',
        platform: 'other',
        level: 'error',
        type: 'default',
        logentry: { formatted: 'Login of [Filtered] failed' },
        extra: { password: '[Filtered]' },
        notes: [{ field: 'message', rule: 'removed by scrubbing: pattern 1' }],
      },
      source: 'given',
      removed_before: [],
    },
  })
export type SettingsTrialResult = z.infer<typeof SettingsTrialResult>
