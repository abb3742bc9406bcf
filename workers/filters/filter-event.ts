/**
 * Which events a project does not want, decided by the event alone. The first filter that matches gives its name, under which
 * the event is counted (`filtered:<name>`); the event leaves nothing else behind and costs nothing.
 */

import type { FilterSettings } from '#schemas/project-settings.ts'
import type { CanonicalRequest } from '../normalize/canonical-event.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { compileGlob, type Glob } from './glob.ts'
import { isCrawler } from './is-crawler.ts'
import { isFromExtension } from './is-from-extension.ts'
import { isLegacyBrowser } from './is-legacy-browser.ts'
import { isLocal } from './is-local.ts'

export type FilterName = keyof FilterSettings

export interface FilteredEvent {
  readonly event: NormalizedEvent
  readonly request: CanonicalRequest | undefined
}

interface Filter {
  readonly name: FilterName
  readonly matches: (event: FilteredEvent) => boolean
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
        matches: ({ event }) => event.release !== '' && some(releases, event.release),
      },
      {
        name: 'error_messages',
        isOn: messages.length > 0,
        matches: ({ event }) => messagesOf(event).some((message) => some(messages, message)),
      },
      {
        name: 'browser_extensions',
        isOn: settings.browser_extensions,
        matches: ({ event }) => isFromExtension(event),
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

  /** Undefined: the event is wanted. */
  match(event: FilteredEvent): FilterName | undefined {
    return this.#filters.find((filter) => filter.matches(event))?.name
  }
}

function some(globs: readonly Glob[], text: string): boolean {
  return globs.some((matches) => matches(text))
}

/** As people see them: the message, and each exception with its type in front and without. */
function messagesOf({ message, exceptions }: NormalizedEvent): readonly string[] {
  const texts = message === undefined ? [] : [message.formatted]
  for (const { type, value } of exceptions) {
    texts.push(value)
    if (type !== '') texts.push(value === '' ? type : `${type}: ${value}`)
  }
  return texts
}

function userAgentOf(request: CanonicalRequest | undefined): string {
  const header = request?.headers?.find(([name]) => name.toLowerCase() === 'user-agent')
  return header?.[1] ?? ''
}
