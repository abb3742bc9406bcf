/**
 * Facts of an event that people search by and that have columns of their own
 * (`schemas/clickhouse/0014-search-fields.sql`). They are read from the payload, as the defaults of
 * the columns are.
 */
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import type { EventException, NormalizedEvent } from '../normalize/event.ts'

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
  device_family: fact('contexts', 'device', 'family'),
  device_brand: fact('contexts', 'device', 'brand'),
  device_arch: fact('contexts', 'device', 'arch'),
  geo_country: fact('user', 'geo', 'country_code'),
  geo_region: fact('user', 'geo', 'region'),
  geo_city: fact('user', 'geo', 'city'),
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

function fact(...path: readonly string[]): ReadFact {
  return ({ inPayload }) => storedText(textAt(inPayload, path), charactersMax)
}

/** `Windows 10`: as the established products show an operating system, a browser or a runtime. */
function nameAndVersion(context: string): ReadFact {
  const name = ['contexts', context, 'name']
  const version = ['contexts', context, 'version']
  return ({ inPayload }) => {
    const text = `${textAt(inPayload, name)} ${textAt(inPayload, version)}`
    return text === ' ' ? absent : storedText(text.trim(), charactersMax)
  }
}

/** Clients send a number or a text. */
function httpStatus({ inPayload }: NormalizedEvent): StoredText {
  const status = valueAt(inPayload, ['contexts', 'response', 'status_code'])
  const isStatus = typeof status === 'number' || typeof status === 'string'
  return isStatus ? storedText(`${status}`, charactersMax) : absent
}

/** Anything but a text counts as absent, as in ClickHouse. */
function textAt(payload: object | undefined, path: readonly string[]): string {
  const value = valueAt(payload, path)
  return typeof value === 'string' ? value : ''
}

function valueAt(payload: object | undefined, path: readonly string[]): unknown {
  let value: unknown = payload
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
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
  const sent = valueAt(inPayload, ['threads', 'values'])
  const main: unknown = Array.isArray(sent) ? sent[index]?.main : undefined
  return typeof main === 'boolean' ? main : undefined
}
