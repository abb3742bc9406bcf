/** Lists what scrubbing removes from one event: by field and rule, and value by value. */

import { type RemovalNotes, scrubRuleOf } from '#platform/scrub/scrub-event.ts'
import {
  changesShownMax,
  removalsShownMax,
  type SettingsTrialResult,
} from '#schemas/rest/settings/settings-trial.ts'
import { storedText } from '#schemas/stored-text.ts'

const pathCharactersMax = 300
const valueCharactersMax = 100

type Removal = SettingsTrialResult['removed'][number]
type Change = SettingsTrialResult['changes'][number]

interface Changed {
  readonly before: unknown
  readonly rules: Set<string>
}

export class RemovalList implements RemovalNotes {
  readonly #removed = new Map<string, Removal>()
  /** The changed values of each object and list, by key. */
  readonly #changed = new Map<object, Map<string, Changed>>()
  #changedCount = 0
  isComplete = true

  get removed(): Removal[] {
    return [...this.#removed.values()]
  }

  add(field: string, noteRule: string, holder?: object, key?: string | number, before?: unknown) {
    const rule = scrubRuleOf(noteRule)
    const id = JSON.stringify([field, rule])
    if (!this.#removed.has(id)) {
      if (this.#removed.size < removalsShownMax) this.#removed.set(id, { field, rule })
      else this.isComplete = false
    }
    if (holder !== undefined && key !== undefined) this.#note(holder, String(key), before, rule)
  }

  /** Finds the places of the changed values. Call it before anything else changes the event. */
  changesIn(event: object): Change[] {
    const changes: Change[] = []
    const walk = (value: object, path: string) => {
      const changed = this.#changed.get(value)
      for (const [key, inner] of Object.entries(value)) {
        const change = changed?.get(key)
        const isContainer = typeof inner === 'object' && inner !== null
        if (change === undefined && !isContainer) continue
        const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
        if (change !== undefined) {
          if (at.length > pathCharactersMax) this.isComplete = false
          else changes.push(changeOf(at, change, inner))
        }
        if (isContainer) walk(inner, at)
      }
    }
    if (this.#changedCount > 0) walk(event, '')
    return changes
  }

  #note(holder: object, key: string, before: unknown, rule: string): void {
    let changed = this.#changed.get(holder)
    const known = changed?.get(key)
    if (known !== undefined) {
      known.rules.add(rule)
      return
    }
    if (this.#changedCount >= changesShownMax) {
      this.isComplete = false
      return
    }
    this.#changedCount += 1
    if (changed === undefined) {
      changed = new Map()
      this.#changed.set(holder, changed)
    }
    changed.set(key, { before, rules: new Set([rule]) })
  }
}

function changeOf(path: string, { before, rules }: Changed, after: unknown): Change {
  return { path, before: shortJson(before), after: shortJson(after), rules: [...rules] }
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(
    typeof value === 'string' ? value.slice(0, valueCharactersMax) : value,
  ).toWellFormed()
  return text.length > valueCharactersMax ? `${storedText(text, valueCharactersMax)}…` : text
}
