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

interface Filter {
  readonly name: FilterName
  readonly matches: (event: NormalizedEvent) => boolean
}

export class EventFilters {
  readonly #filters: readonly Filter[]

  constructor(settings: FilterSettings) {
    const releases = settings.releases.map(compileGlob)
    const messages = settings.error_messages.map(compileGlob)
    const all: readonly (Filter & { readonly isOn: boolean })[] = [
      {
        name: 'releases',
        isOn: releases.length > 0,
        matches: ({ release }) => release !== '' && some(releases, release),
      },
      {
        name: 'error_messages',
        isOn: messages.length > 0,
        matches: (event) => messagesOf(event).some((message) => some(messages, message)),
      },
      {
        name: 'browser_extensions',
        isOn: settings.browser_extensions,
        matches: isFromExtension,
      },
      { name: 'localhost', isOn: settings.localhost, matches: isLocal },
      {
        name: 'web_crawlers',
        isOn: settings.web_crawlers,
        matches: ({ request }) => isCrawler(userAgentOf(request)),
      },
      {
        name: 'legacy_browsers',
        isOn: settings.legacy_browsers,
        matches: ({ request }) => isLegacyBrowser(userAgentOf(request)),
      },
    ]
    this.#filters = all.filter(({ isOn }) => isOn)
  }

  /** Name of the first filter that matches; undefined when the event is kept. */
  match(event: NormalizedEvent): FilterName | undefined {
    return this.#filters.find((filter) => filter.matches(event))?.name
  }
}

function some(globs: readonly Glob[], text: string): boolean {
  return globs.some((matches) => matches(text))
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
