/**
 * Facts of an event that people search by and that have columns of their own
 * (`schemas/clickhouse/0014-search-fields.sql`). They are read from the payload, as the defaults of
 * the columns are.
 */
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import type { EventException, NormalizedEvent } from '../normalize/event.ts'
import type { StoredEvent } from '../normalize/stored-event.ts'
import { type JsonObject, readObject } from '../normalize/values/read-value.ts'

type ReadFact = (event: NormalizedEvent) => StoredText

const absent = storedText('')
const charactersMax = 200
/** Values are searched for by what they contain; the payload has them whole. */
export const errorValueCharactersMax = 250

/** By the name of the column, in the order of the columns. */
export const eventFacts = {
  os: nameAndVersion('os'),
  browser: nameAndVersion('browser'),
  runtime: nameAndVersion('runtime'),
  device_family: contextFact('device', 'family'),
  device_brand: contextFact('device', 'brand'),
  device_arch: contextFact('device', 'arch'),
  geo_country: placeFact('country_code'),
  geo_region: placeFact('region'),
  geo_city: placeFact('city'),
  http_status: httpStatus,
  mechanism: (event) => storedText(mainMechanism(event)?.type ?? '', charactersMax),
  handled: (event) => yesOrNo(mainMechanism(event)?.handled),
  main_thread: (event) => yesOrNo(isOnMainThread(event)),
} as const satisfies Record<string, ReadFact>

export function errorTexts({ exceptions }: NormalizedEvent): {
  readonly types: readonly StoredText[]
  readonly values: readonly StoredText[]
} {
  return {
    types: exceptions.map(({ type }) => storedText(type)),
    values: exceptions.map(({ value }) => storedText(value, errorValueCharactersMax)),
  }
}

function contextFact(context: string, name: string): ReadFact {
  return (event) => storedText(textOf(contextOf(event, context)?.[name]), charactersMax)
}

function placeFact(name: string): ReadFact {
  return ({ inPayload }) =>
    storedText(textOf(readObject(payloadOf(inPayload).user?.['geo'])?.[name]), charactersMax)
}

/** `Windows 10`: as the established products show an operating system, a browser or a runtime. */
function nameAndVersion(context: string): ReadFact {
  return (event) => {
    const facts = contextOf(event, context)
    if (facts === undefined) return absent
    const text = `${textOf(facts['name'])} ${textOf(facts['version'])}`
    return storedText(text.trim(), charactersMax)
  }
}

/** Clients send a number or a text. */
function httpStatus(event: NormalizedEvent): StoredText {
  const status = contextOf(event, 'response')?.['status_code']
  const isStatus = typeof status === 'number' || typeof status === 'string'
  return isStatus ? storedText(`${status}`, charactersMax) : absent
}

function contextOf({ inPayload }: NormalizedEvent, name: string): JsonObject | undefined {
  return readObject(payloadOf(inPayload).contexts?.[name])
}

/** No name that is read here exists on `Object.prototype`. */
function payloadOf(payload: object | undefined): Partial<StoredEvent> {
  return payload ?? {}
}

/** Anything but a text counts as absent, as in ClickHouse. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function yesOrNo(value: boolean | undefined): StoredText {
  if (value === undefined) return absent
  return storedText(value ? 'yes' : 'no')
}

function mainMechanism({ exceptions }: NormalizedEvent): EventException['mechanism'] {
  return exceptions.at(-1)?.mechanism
}

/** Of the thread that crashed, else the current one. Undefined if the client does not say. */
function isOnMainThread({ threads, inPayload }: NormalizedEvent): boolean | undefined {
  if (threads.length === 0) return undefined
  const crashed = threads.findIndex((thread) => thread.crashed)
  const index = crashed === -1 ? threads.findIndex((thread) => thread.current) : crashed
  return payloadOf(inPayload).threads?.values[index]?.main
}
