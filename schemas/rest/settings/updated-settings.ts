/** The reply to a change of settings. */
import { z } from 'zod'
import { ProjectSettings } from '../../project-settings.ts'

/** A rule that was accepted, and perhaps does not do what is meant. */
export const GroupingWarning = z.object({
  field: z.literal('grouping.fingerprint_rules'),
  line: z.number().int().describe('From 1.'),
  message: z.string(),
})
export type GroupingWarning = z.infer<typeof GroupingWarning>

export const groupingWarnings = z
  .array(GroupingWarning)
  .describe(
    'Tags in fingerprint rules that no event of the project has, with those that may be meant. The rules apply all the same, because a tag may come later.',
  )

export const UpdatedProjectSettings = ProjectSettings.extend({
  warnings: groupingWarnings,
}).meta({ id: 'UpdatedProjectSettings' })
export type UpdatedProjectSettings = z.infer<typeof UpdatedProjectSettings>
