/**
 * Decides from an event alone whether a filter of its project drops it. The event is counted under
 * the name of the first filter that matches (`filtered:<name>`); nothing else of it is stored, and
 * it does not count against the quota.
 */

import { compileGlob, type Glob } from '#platform/text/glob.ts'
import type { FilterSettings } from '#schemas/project-settings.ts'
import type { EventRequest, NormalizedEvent } from '../normalize/event.ts'
import { isCrawler } from './is-crawler.ts'
import { isFromExtension } from './is-from-extension.ts'
import { isLegacyBrowser } from './is-legacy-browser.ts'
import { isLocal } from './is-local.ts'

export type FilterName = keyof FilterSettings

/** The filter that drops an event, and why. */
export interface FilterMatch {
  readonly name: FilterName
  /** The glob that matches, as it is written in the settings; undefined for filters without. */
  readonly rule: string | undefined
  /** The text of the event that decides; undefined if several values do. */
  readonly value: string | undefined
}

/** The reason of the outcome. */
export function filteredReason(name: FilterName): string {
  return `filtered:${name}`
}

interface Filter {
  readonly name: FilterName
  readonly find: (event: NormalizedEvent) => Omit<FilterMatch, 'name'> | undefined
}

export class EventFilters {
  readonly #filters: readonly Filter[]

  constructor(settings: FilterSettings) {
    const releases = settings.releases.map(compileRule)
    const messages = settings.error_messages.map(compileRule)
    const all: readonly (Filter & { readonly isOn: boolean })[] = [
      {
        name: 'releases',
        isOn: releases.length > 0,
        find: ({ release }) => (release === '' ? undefined : findRule(releases, [release])),
      },
      {
        name: 'error_messages',
        isOn: messages.length > 0,
        find: (event) => findRule(messages, messagesOf(event)),
      },
      {
        name: 'browser_extensions',
        isOn: settings.browser_extensions,
        find: (event) => (isFromExtension(event) ? severalValues : undefined),
      },
      {
        name: 'localhost',
        isOn: settings.localhost,
        find: (event) => (isLocal(event) ? severalValues : undefined),
      },
      { name: 'web_crawlers', isOn: settings.web_crawlers, find: byUserAgent(isCrawler) },
      {
        name: 'legacy_browsers',
        isOn: settings.legacy_browsers,
        find: byUserAgent(isLegacyBrowser),
      },
    ]
    this.#filters = all.filter(({ isOn }) => isOn)
  }

  /** The first filter that matches; undefined when the event is kept. */
  match(event: NormalizedEvent): FilterMatch | undefined {
    for (const { name, find } of this.#filters) {
      const found = find(event)
      if (found !== undefined) return { name, ...found }
    }
    return undefined
  }
}

const severalValues = { rule: undefined, value: undefined } as const

interface Rule {
  readonly text: string
  readonly matches: Glob
}

function compileRule(text: string): Rule {
  return { text, matches: compileGlob(text) }
}

/** The first rule that matches the first text that any rule matches. */
function findRule(rules: readonly Rule[], texts: readonly string[]) {
  for (const value of texts) {
    const rule = rules.find(({ matches }) => matches(value))
    if (rule !== undefined) return { rule: rule.text, value }
  }
  return undefined
}

function byUserAgent(matches: (userAgent: string) => boolean): Filter['find'] {
  return ({ request }) => {
    const value = userAgentOf(request)
    return matches(value) ? { rule: undefined, value } : undefined
  }
}

/** The texts that people see: the message, and each exception with and without its type. */
function messagesOf({ message, exceptions }: NormalizedEvent): readonly string[] {
  const texts = message === undefined ? [] : [message.formatted]
  for (const { type, value } of exceptions) {
    texts.push(value)
    if (type !== '') texts.push(value === '' ? type : `${type}: ${value}`)
  }
  return texts
}

function userAgentOf(request: EventRequest | undefined): string {
  const header = request?.headers?.find(([name]) => name.toLowerCase() === 'user-agent')
  return header?.[1] ?? ''
}
