/**
 * The settings of a range's projects, compiled for use on their events. Settings come with the
 * range and seldom change, so rules are cached by the text of the settings.
 */

import { type RemovalNotes, scrubEvent } from '#platform/scrub/scrub-event.ts'
import { Scrubber } from '#platform/scrub/scrubber.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { EventFilters } from '../filters/filter-event.ts'
import { GroupingRules } from '../grouping/rules/grouping-rules.ts'
import { PlainRules } from '../normalize/plain-data/plain-rules.ts'
import type { JsonObject } from '../normalize/values/read-value.ts'

export interface ProjectRules {
  /** The project was deleted: its records are dropped without an outcome. */
  readonly isDeleted: boolean
  /** Removes sensitive values from the JSON of an event, in place. */
  readonly scrub: (payload: JsonObject, notes: RemovalNotes) => void
  /** True when the client address of the connection must not be stored. */
  readonly removesAddresses: boolean
  /** False when the place of an address must not be stored: `geo` is among the sensitive keys. */
  readonly keepsPlaces: boolean
  readonly filters: EventFilters
  /** Undefined: the project has none. */
  readonly grouping: GroupingRules | undefined
  /**
   * Events may share known frames. Not if they are changed by rules of grouping, or if the patterns
   * of scrubbing have a budget for the whole event.
   */
  readonly sharesFrames: boolean
  /**
   * Undefined if what scrubbing does to one text depends on others: patterns have a budget for the
   * whole event.
   */
  readonly plainRules: PlainRules | undefined
  /** Undefined: the default of the installation. */
  readonly retentionDays: number | undefined
}

/** Takes the place of the settings of a deleted project. */
export const deletedProjectSettings = { deleted: true } as const

/** Settings as stored; missing ones have the default of a new project. */
export type StoredSettings = readonly (readonly [ProjectId, unknown])[]

const keptMax = 256
const kept = new Map<string, ProjectRules>()
const defaultText = '{}'
const deletedText = JSON.stringify(deletedProjectSettings)

export class RulesByProject {
  readonly #texts: ReadonlyMap<ProjectId, string>

  constructor(settings: StoredSettings) {
    this.#texts = new Map(settings.map(([projectId, value]) => [projectId, JSON.stringify(value)]))
  }

  of(projectId: ProjectId): ProjectRules {
    return rulesOfText(this.#texts.get(projectId) ?? defaultText)
  }
}

/** The rules of settings as they are stored. */
export function rulesOf(settings: unknown): ProjectRules {
  return rulesOfText(JSON.stringify(settings))
}

function rulesOfText(text: string): ProjectRules {
  const known = kept.get(text)
  if (known !== undefined) return known
  const rules = makeRules(text)
  if (kept.size >= keptMax) kept.clear()
  kept.set(text, rules)
  return rules
}

function makeRules(text: string): ProjectRules {
  const parsed = ProjectSettings.safeParse(JSON.parse(text))
  // Settings are validated when they are saved. If they are invalid nevertheless, the defaults
  // apply.
  const settings = parsed.success ? parsed.data : ProjectSettings.parse({})
  const scrubber = new Scrubber(settings.scrubbing)
  const grouping = GroupingRules.of(settings.grouping)
  return {
    isDeleted: text === deletedText,
    scrub: (payload, notes) => scrubEvent(payload, scrubber, notes),
    removesAddresses: scrubber.removesAddresses,
    keepsPlaces: scrubber.meaningOf('geo') === 'none',
    filters: new EventFilters(settings.filters),
    grouping,
    sharesFrames: grouping === undefined && settings.scrubbing.patterns.length === 0,
    plainRules: settings.scrubbing.patterns.length === 0 ? new PlainRules(scrubber) : undefined,
    retentionDays: settings.retention_days ?? undefined,
  }
}
