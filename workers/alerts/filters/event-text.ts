/**
 * The texts of an event by the names that a search uses, as the row of the event stores them
 * (api/search/event-search.ts says which column or part of the payload a name means).
 */

import { type ParsedRelease, parseRelease } from '#schemas/releases/compare-releases.ts'
import { storedText } from '#schemas/stored-text.ts'
import type { Grouping } from '../../grouping/grouping.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { errorTexts, eventFacts } from '../../rows/event-facts.ts'
import { payloadTexts } from '../../rows/payload-texts.ts'
import { type StackNames, stackNames } from '../../rows/stacks.ts'
import { foldCase } from './fold-case.ts'

export class GroupedEvent {
  readonly event: NormalizedEvent
  readonly grouping: Grouping
  #folded: readonly [title: string, culprit: string] | undefined
  #release: ParsedRelease | undefined
  #errors: ReturnType<typeof errorTexts> | undefined
  #stack: StackNames | 'none' | undefined

  constructor(event: NormalizedEvent, grouping: Grouping) {
    this.event = event
    this.grouping = grouping
  }

  /** Title and culprit for comparisons regardless of case, once for all queries. */
  get folded(): readonly [title: string, culprit: string] {
    const { title, culprit } = this.grouping
    this.#folded ??= [foldCase(storedText(title)), foldCase(storedText(culprit))]
    return this.#folded
  }

  get release(): ParsedRelease {
    this.#release ??= parseRelease(this.event.release)
    return this.#release
  }

  get errors(): ReturnType<typeof errorTexts> {
    this.#errors ??= errorTexts(this.event)
    return this.#errors
  }

  get stack(): StackNames | undefined {
    this.#stack ??= stackNames(this.event) ?? 'none'
    return this.#stack === 'none' ? undefined : this.#stack
  }
}

type ReadText = (grouped: GroupedEvent) => string

const inPayload =
  (name: keyof typeof payloadTexts): ReadText =>
  ({ event }) =>
    payloadTexts[name](event.inPayload)

/** The identity that user counts of issues use: the first known of id, email, name and address. */
export function userIdentity({ id, email, name, ip }: NormalizedEvent['user']): string {
  return (
    (id && `id:${id}`) ||
    (email && `email:${email}`) ||
    (name && `name:${name}`) ||
    (ip && `ip:${ip}`)
  )
}

const factOf =
  (name: keyof typeof eventFacts): ReadText =>
  ({ event }) =>
    eventFacts[name](event)

const sdkSlash = (sdk: string) => sdk.lastIndexOf('/')
const sdkName = (sdk: string) => (sdkSlash(sdk) === -1 ? sdk : sdk.slice(0, sdkSlash(sdk)))
const sdkVersion = (sdk: string) => (sdkSlash(sdk) === -1 ? '' : sdk.slice(sdkSlash(sdk) + 1))

/** Fields with one text; an empty one means that the event has none. */
export const eventTexts: ReadonlyMap<string, ReadText> = new Map([
  ['level', ({ event }) => event.level],
  ['release', ({ event }) => event.release],
  ['dist', ({ event }) => event.dist],
  ['environment', ({ event }) => event.environment],
  ['platform', ({ event }) => storedText(event.platform)],
  ['logger', ({ event }) => storedText(event.logger)],
  ['component', ({ event }) => storedText(event.component)],
  ['server_name', ({ event }) => storedText(event.serverName)],
  ['sdk', ({ event }) => storedText(event.sdk)],
  ['sdk.name', ({ event }) => sdkName(storedText(event.sdk))],
  ['sdk.version', ({ event }) => sdkVersion(storedText(event.sdk))],
  ['title', ({ grouping }) => storedText(grouping.title)],
  ['culprit', ({ grouping }) => storedText(grouping.culprit)],
  ['transaction', inPayload('transaction')],
  ['error.mechanism', factOf('mechanism')],
  ['user', ({ event }) => storedText(userIdentity(event.user))],
  ['user.id', ({ event }) => storedText(event.user.id)],
  ['user.email', ({ event }) => storedText(event.user.email)],
  ['user.username', ({ event }) => storedText(event.user.name)],
  ['user.ip', ({ event }) => storedText(event.user.ip)],
  ['id', ({ event }) => event.eventId],
  ['url', inPayload('url')],
  ['http.method', inPayload('http_method')],
  ['trace', inPayload('trace_id')],
  ['http.status_code', factOf('http_status')],
  ['os', factOf('os')],
  ['os.name', inPayload('os_name')],
  ['browser', factOf('browser')],
  ['browser.name', inPayload('browser_name')],
  ['runtime', factOf('runtime')],
  ['runtime.name', inPayload('runtime_name')],
  ['device', (grouped) => inPayload('device_model')(grouped) || factOf('device_family')(grouped)],
  ['device.model', inPayload('device_model')],
  ['device.family', factOf('device_family')],
  ['device.brand', factOf('device_brand')],
  ['device.arch', factOf('device_arch')],
  ['geo.country', factOf('geo_country')],
  ['geo.region', factOf('geo_region')],
  ['geo.city', factOf('geo_city')],
] satisfies [string, ReadText][])

type ReadTexts = (grouped: GroupedEvent) => readonly string[]

/** Fields with several texts, one of which must match. */
export const eventLists: ReadonlyMap<string, ReadTexts> = new Map([
  ['error.type', ({ grouping, errors }) => [storedText(grouping.exceptionType), ...errors.types]],
  ['error.value', ({ errors }) => errors.values],
  ['stack.function', ({ stack }) => stack?.functions ?? []],
  ['stack.filename', ({ stack }) => stack?.filenames ?? []],
  ['stack.abs_path', ({ stack }) => stack?.absPaths ?? []],
  ['stack.module', ({ stack }) => stack?.modules ?? []],
  ['stack.package', ({ stack }) => stack?.packages ?? []],
] satisfies [string, ReadTexts][])

/** Fields that are true or false: the text that is stored, and which one means true. */
export const eventAnswers: ReadonlyMap<string, { readonly read: ReadText; readonly yes: string }> =
  new Map([
    ['error.handled', { read: factOf('handled'), yes: 'yes' }],
    ['error.unhandled', { read: factOf('handled'), yes: 'no' }],
    ['error.main_thread', { read: factOf('main_thread'), yes: 'yes' }],
    ['stack.in_app', { read: ({ stack }: GroupedEvent) => stack?.inApp ?? '', yes: 'yes' }],
  ])

export const eventTimes: ReadonlyMap<string, (event: NormalizedEvent) => number> = new Map([
  ['timestamp', ({ occurredAtMs }: NormalizedEvent) => occurredAtMs],
  ['received', ({ receivedAtMs }: NormalizedEvent) => receivedAtMs],
])

/** Undefined if the event has no such tag. */
export function tagOf({ tags }: NormalizedEvent, key: string): string | undefined {
  for (const [known, value] of tags) if (known === key) return storedText(value)
  return undefined
}
