/**
 * The scrubbing rules of one project, compiled. It decides about a name and removes from a text
 * what must not be kept; scrub-event.ts decides where in an event it is applied.
 */

import { compileGlob, type Glob } from '#platform/text/glob.ts'
import type { ScrubbingSettings } from '#schemas/project-settings.ts'
import { type FoundSecret, findSecrets, type SecretForms } from './find-secrets.ts'
import { type PatternBudget, PatternFinder, patternStepsPerEventMax } from './pattern-finder.ts'
import { type KeyMeaning, meaningOfKey } from './sensitive-keys.ts'
import { replaceSpans } from './spans.ts'

/** Shorter texts contain no secret that is recognisable by its form. */
const textCharactersMin = 4
const rememberedMax = 8192

export interface ScrubbedText {
  readonly text: string
  /** Names of the rules that removed something; empty when the text is unchanged. */
  readonly rules: readonly string[]
}

export class Scrubber {
  readonly #settings: ScrubbingSettings
  readonly #sensitive: readonly Glob[]
  readonly #safe: readonly Glob[]
  readonly #patterns: readonly PatternFinder[]
  readonly #remembered = new Map<string, KeyMeaning>()
  readonly #textForms: SecretForms
  readonly #codeForms: SecretForms
  readonly isIdle: boolean
  readonly #stepsMax: number
  readonly #budget: PatternBudget

  /** @param stepsMax for the patterns on one event. */
  constructor(settings: ScrubbingSettings, stepsMax = patternStepsPerEventMax) {
    this.#stepsMax = stepsMax
    this.#budget = { stepsLeft: stepsMax }
    this.#settings = settings
    this.#sensitive = settings.sensitive_keys.map(compileGlob)
    this.#safe = settings.safe_keys.map(compileGlob)
    this.#patterns = settings.patterns.map((pattern) => new PatternFinder(pattern))
    const { defaults: secrets, ip_addresses: addresses } = settings
    this.#codeForms = { secrets, addresses, meaning: undefined }
    this.#textForms = { secrets, addresses, meaning: (name) => this.meaningOf(name) }
    this.isIdle = !secrets && !addresses && this.#sensitive.length + this.#patterns.length === 0
  }

  get removesAddresses(): boolean {
    return this.#settings.ip_addresses
  }

  /** Resets the budget, so that the result of an event does not depend on the one before it. */
  beginEvent(): void {
    this.#budget.stepsLeft = this.#stepsMax
  }

  /** `none`: the value under the name is searched itself. */
  meaningOf(name: string): KeyMeaning {
    if (this.#sensitive.length + this.#safe.length === 0) return this.#defaultMeaning(name)
    const known = this.#remembered.get(name)
    if (known !== undefined) return known
    const meaning = this.#readMeaning(name)
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear()
    this.#remembered.set(name, meaning)
    return meaning
  }

  scrubText(text: string): string | ScrubbedText {
    return this.#scrub(text, this.#textForms)
  }

  /** Scrubs source code and paths, in which names of secrets are only names. */
  scrubCode(text: string): string | ScrubbedText {
    return this.#scrub(text, this.#codeForms)
  }

  /** Returns the text itself when nothing is removed, which avoids an object. */
  #scrub(text: string, forms: SecretForms): string | ScrubbedText {
    if (text.length < textCharactersMin) return text
    let found = forms.secrets || forms.addresses ? findSecrets(text, forms) : []
    for (const [index, pattern] of this.#patterns.entries()) {
      const spans = pattern.find(text, this.#budget)
      if (spans.length === 0) continue
      const rule = `pattern ${index + 1}`
      found = [...found, ...spans.map((span): FoundSecret => ({ ...span, rule }))]
    }
    if (found.length === 0) return text
    const rules = [...new Set(found.map(({ rule }) => rule))]
    return { text: replaceSpans(text, found), rules }
  }

  #readMeaning(name: string): KeyMeaning {
    if (this.#safe.some((matches) => matches(name))) return 'none'
    if (this.#sensitive.some((matches) => matches(name))) return 'secret'
    return this.#defaultMeaning(name)
  }

  #defaultMeaning(name: string): KeyMeaning {
    const meaning = meaningOfKey(name)
    if (meaning === 'none') return meaning
    if (meaning === 'address') return this.#settings.ip_addresses ? meaning : 'none'
    return this.#settings.defaults ? meaning : 'none'
  }
}
