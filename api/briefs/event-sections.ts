/** The sections of a brief that tell about one event. Each block has a limit of its own. */
import type { EventDetail } from '#schemas/rest/event.ts'
import { type EventFacts, type FrameFacts, factsOf, type StackFacts } from './event-facts.ts'
import { untrustedBlock, untrustedLine } from './untrusted-text.ts'

/** Characters of each block, with its fence. Their sum is below `briefCharactersMax`. */
export const blockCharacters = {
  what: 2_500,
  stacks: 12_000,
  request: 1_500,
  tags: 3_000,
  breadcrumbs: 4_500,
} as const

const headingCharactersMax = 1_000
const placeCharactersMax = 300
const sourceCharactersMax = 200
const tagsMax = 30
const tagCharactersMax = 200
const crumbCharactersMax = 400
const requestCharactersMax = 400
const valueCharactersMax = 200

export function eventSections(event: EventDetail): string[] {
  const facts = factsOf(event.payload)
  return [
    section('Event', whatLines(event, facts), blockCharacters.what),
    section(stacksHeading(facts), facts.stacks.flatMap(stackLines), blockCharacters.stacks),
    section('Request', bounded(facts.request, requestCharactersMax), blockCharacters.request),
    section(
      'Tags',
      bounded(
        Object.entries(event.tags)
          .filter(([key]) => !event.derived_tags.includes(key))
          .slice(0, tagsMax)
          .map(([key, value]) => `${key}: ${value}`),
        tagCharactersMax,
      ),
      blockCharacters.tags,
    ),
    section(
      'Breadcrumbs, newest last',
      bounded(facts.breadcrumbs, crumbCharactersMax),
      blockCharacters.breadcrumbs,
    ),
  ].filter((text) => text !== '')
}

/** Empty without lines. */
export function section(heading: string, lines: readonly string[], charactersMax: number): string {
  return lines.length === 0 ? '' : `## ${heading}\n\n${untrustedBlock(lines, charactersMax)}`
}

/** `name: value` lines; absent values are left out. */
export function namedLines(values: Readonly<Record<string, string | null | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value ? [`${name}: ${untrustedLine(value, valueCharactersMax)}`] : [],
  )
}

export function bounded(lines: readonly string[], charactersMax: number): string[] {
  return lines.map((line) => untrustedLine(line, charactersMax))
}

function whatLines(event: EventDetail, { message }: EventFacts): string[] {
  const { title, culprit, level, platform, release, environment, component, server_name } = event
  return [
    ...namedLines({
      title,
      ...(message === undefined || title.includes(message) ? {} : { message }),
      culprit,
      level,
      platform,
      release,
      environment,
      component,
      server: server_name,
      sdk: event.sdk,
    }),
  ]
}

function stacksHeading({ stacksLeftOut }: EventFacts): string {
  const note = stacksLeftOut === 0 ? '' : ` (${stacksLeftOut} earlier causes are left out)`
  return `Exceptions, each followed by its cause${note}`
}

function stackLines({ heading, frames, framesLeftOut }: StackFacts): string[] {
  return [
    untrustedLine(heading, headingCharactersMax),
    ...frames.flatMap(frameLines),
    ...(framesLeftOut === 0 ? [] : [`  (${framesLeftOut} other frames are left out)`]),
  ]
}

function frameLines({ place, inApp, source }: FrameFacts): string[] {
  const mark = inApp ? ' [in app]' : ''
  return [
    `  at ${untrustedLine(place, placeCharactersMax)}${mark}`,
    ...source.map(({ lineNo, text, isCurrent }) => {
      const margin = `${isCurrent ? '>' : ' '} ${String(lineNo ?? '').padStart(5)} |`
      return `    ${margin} ${sourceText(text)}`
    }),
  ]
}

/** One line of source with its indentation, bounded. */
export function sourceText(text: string): string {
  const indentation = /^[ \t]{0,40}/.exec(text)?.[0].replaceAll('\t', '  ') ?? ''
  return indentation + untrustedLine(text, sourceCharactersMax)
}
