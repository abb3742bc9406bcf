/**
 * What the settings of a project, stored or changed, would do to an event. A worker decides, with
 * the code that digests events.
 */
import { ProjectSettings } from '#schemas/project-settings.ts'
import type { SettingsTrial, SettingsTrialResult } from '#schemas/rest/settings/settings-trial.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { checkSettings } from './check-settings.ts'
import { readProjectSettings } from './project-settings-store.ts'
import { triedEvent } from './tried-event.ts'

export async function trySettings(
  ctx: ApiContext,
  project: StoredProject,
  { event, event_id: storedId, scrubbing = {}, filters = {} }: SettingsTrial,
): Promise<SettingsTrialResult> {
  checkSettings({ scrubbing, filters })
  const stored = await readProjectSettings(ctx.pg, project.dsnId)
  const tried = await triedEvent(ctx, project, event, storedId)
  const reply = await ctx.askWorkers({
    request: {
      task: 'try_settings',
      settings: ProjectSettings.parse({
        ...stored,
        scrubbing: { ...stored.scrubbing, ...scrubbing },
        filters: { ...stored.filters, ...filters },
      }),
      event_id: tried.eventId,
      received_at_ms: tried.receivedAtMs,
      ...(tried.component === undefined ? {} : { component: tried.component }),
    },
    payload: Buffer.from(tried.payload),
  })
  if (reply.kind !== 'tried') throw new Error('a worker answered another request')
  return { ...reply.result, source: tried.source, removed_before: tried.removedBefore }
}
