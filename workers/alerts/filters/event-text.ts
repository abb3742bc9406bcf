/**
 * The texts of an event by the names that a search uses, as the row of the event stores them
 * (api/search/event-search.ts says which column or part of the payload a name means).
 */
import { storedText } from '#schemas/stored-text.ts'
import type { Grouping } from '../../grouping/grouping.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { payloadTexts } from '../../rows/payload-texts.ts'
import { foldCase } from './fold-case.ts'

export class GroupedEvent {
  readonly event: NormalizedEvent
  readonly grouping: Grouping
  #folded: readonly [title: string, culprit: string] | undefined

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

const userName: ReadText = ({ event }) => storedText(event.user.name)

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
  ['title', ({ grouping }) => storedText(grouping.title)],
  ['message', ({ grouping }) => storedText(grouping.title)],
  ['culprit', ({ grouping }) => storedText(grouping.culprit)],
  ['transaction', inPayload('transaction')],
  ['error.type', ({ grouping }) => storedText(grouping.exceptionType)],
  ['user', ({ event }) => storedText(userIdentity(event.user))],
  ['user.id', ({ event }) => storedText(event.user.id)],
  ['user.email', ({ event }) => storedText(event.user.email)],
  ['user.username', userName],
  ['user.name', userName],
  ['user.ip', ({ event }) => storedText(event.user.ip)],
  ['id', ({ event }) => event.eventId],
  ['url', inPayload('url')],
  ['http.method', inPayload('http_method')],
  ['trace', inPayload('trace_id')],
  ['os.name', inPayload('os_name')],
  ['browser.name', inPayload('browser_name')],
  ['device.model', inPayload('device_model')],
  ['runtime.name', inPayload('runtime_name')],
] satisfies [string, ReadText][])

export const eventTimes: ReadonlyMap<string, (event: NormalizedEvent) => number> = new Map([
  ['timestamp', ({ occurredAtMs }: NormalizedEvent) => occurredAtMs],
  ['received', ({ receivedAtMs }: NormalizedEvent) => receivedAtMs],
])

/** Undefined if the event has no such tag. */
export function tagOf({ tags }: NormalizedEvent, key: string): string | undefined {
  for (const [known, value] of tags) if (known === key) return storedText(value)
  return undefined
}
