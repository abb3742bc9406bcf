/** What scrubbing would remove from an event (http-api: Project settings, `settings/try`). */
import { z } from 'zod'
import { ProjectSettingsChange } from '../../project-settings.ts'

export const removalsShownMax = 500
const eventKeyCharactersMax = 200

export const SettingsTrial = z
  .strictObject({
    event: z
      .record(z.string().max(eventKeyCharactersMax), z.unknown())
      .describe('An event as SDKs send it, the payload of an `event` item.'),
    scrubbing: ProjectSettingsChange.shape.scrubbing.describe(
      'Settings to try instead of the stored ones. Fields that are left out have the stored value.',
    ),
  })
  .meta({
    id: 'SettingsTrial',
    example: {
      event: { message: 'Login of EMP-123456 failed', extra: { password: 'hunter2' } },
      scrubbing: { patterns: ['EMP-\\d{6}'] },
    },
  })
export type SettingsTrial = z.infer<typeof SettingsTrial>

export const SettingsTrialResult = z
  .object({
    removed: z
      .array(
        z.object({
          field: z.string().describe('The path in the event.'),
          rule: z.string().describe('What decided: the name of its key, a form, or `pattern 2`.'),
        }),
      )
      .describe(`At most ${removalsShownMax}.`),
    is_complete: z.boolean().describe('False when more was removed than is listed.'),
    event: z.record(z.string(), z.unknown()).describe('The event after scrubbing.'),
  })
  .meta({
    id: 'SettingsTrialResult',
    example: {
      removed: [
        { field: 'message', rule: 'pattern 1' },
        { field: 'extra.password', rule: 'name of its key' },
      ],
      is_complete: true,
      event: { message: 'Login of [Filtered] failed', extra: { password: '[Filtered]' } },
    },
  })
export type SettingsTrialResult = z.infer<typeof SettingsTrialResult>
