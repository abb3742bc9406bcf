import { scrubEvent, scrubRuleOf } from '#platform/scrub/scrub-event.ts'
import { Scrubber } from '#platform/scrub/scrubber.ts'
import { jsonDepthMax } from '#schemas/limits.ts'
import { ProjectSettings } from '#schemas/project-settings.ts'
import {
  removalsShownMax,
  type SettingsTrial,
  type SettingsTrialResult,
} from '#schemas/rest/settings/settings-trial.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { checkPatterns } from './update-project-settings.ts'

/**
 * A tenth of what workers allow, because other requests wait meanwhile. Patterns for usual texts
 * need far less.
 */
const patternStepsMax = 2_000_000

/** Scrubs the event of the trial in place, with the same code as the workers. */
export function trySettings(
  stored: ProjectSettings,
  { event, scrubbing = {} }: SettingsTrial,
): SettingsTrialResult {
  checkPatterns(scrubbing.patterns ?? [])
  if (isDeeper(event, jsonDepthMax)) {
    throw invalidField('event', `must have at most ${jsonDepthMax} levels of nesting`)
  }
  const removed = new Map<string, SettingsTrialResult['removed'][number]>()
  let isComplete = true
  const add = (field: string, noteRule: string) => {
    const rule = scrubRuleOf(noteRule)
    const key = JSON.stringify([field, rule])
    if (removed.has(key)) return
    if (removed.size < removalsShownMax) removed.set(key, { field, rule })
    else isComplete = false
  }
  const tried = ProjectSettings.parse({ scrubbing: { ...stored.scrubbing, ...scrubbing } })
  scrubEvent(event, new Scrubber(tried.scrubbing, patternStepsMax), { add })
  return { removed: [...removed.values()], is_complete: isComplete, event }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
