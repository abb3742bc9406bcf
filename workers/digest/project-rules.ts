/**
 * What the projects of a range have chosen, made ready to be applied to their events. Settings come with the range and seldom
 * change, so what was made of one text of settings is used again by the ranges that follow.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { EventFilters } from '../filters/filter-event.ts'
import type { Notes } from '../normalize/values/notes.ts'
import type { JsonObject } from '../normalize/values/read-value.ts'
import { scrubEvent } from '../scrub/scrub-event.ts'
import { Scrubber } from '../scrub/scrubber.ts'

export interface ProjectRules {
  /** Removes what must not be kept from the JSON of an event, in place. */
  readonly scrub: (payload: JsonObject, notes: Notes) => void
  /** The address of the connection is one of those that must not be kept. */
  readonly removesAddresses: boolean
  readonly filters: EventFilters
  /** Undefined: as the installation has it. */
  readonly retentionDays: number | undefined
}

/** Settings as they are stored: what is missing is as a new project has it. */
export type StoredSettings = readonly (readonly [ProjectId, unknown])[]

const keptMax = 256
const kept = new Map<string, ProjectRules>()
const defaultText = '{}'

export class RulesByProject {
  readonly #texts: ReadonlyMap<ProjectId, string>

  constructor(settings: StoredSettings) {
    this.#texts = new Map(settings.map(([projectId, value]) => [projectId, JSON.stringify(value)]))
  }

  of(projectId: ProjectId): ProjectRules {
    const text = this.#texts.get(projectId) ?? defaultText
    const known = kept.get(text)
    if (known !== undefined) return known
    const rules = makeRules(text)
    if (kept.size >= keptMax) kept.clear()
    kept.set(text, rules)
    return rules
  }
}

function makeRules(text: string): ProjectRules {
  const parsed = ProjectSettings.safeParse(JSON.parse(text))
  // They are checked when they are saved. Should they be unreadable all the same, secrets go and every event stays.
  const settings = parsed.success ? parsed.data : ProjectSettings.parse({})
  const scrubber = new Scrubber(settings.scrubbing)
  return {
    scrub: (payload, notes) => scrubEvent(payload, scrubber, notes),
    removesAddresses: scrubber.removesAddresses,
    filters: new EventFilters(settings.filters),
    retentionDays: settings.retention_days ?? undefined,
  }
}
