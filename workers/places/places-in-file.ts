/**
 * Looks up addresses in a file in MaxMind's format (GeoLite2 City and Country, DB-IP and others).
 * The file is the operator's and may change between two attempts at a range: no count, no hash and
 * no token of a range depends on it, and of two attempts the rows of the first one stay.
 */
import { Reader } from 'mmdb-lib'
import type { Place, PlaceOf } from './place.ts'

const rememberedMax = 4_096
const textCharactersMax = 100
/** An IPv4 address in the form of IPv6, as servers that listen on both write it. */
const mappedPrefix = /^::ffff:(?=\d+\.)/i

/** @throws Error when the bytes are no such file. */
export function placesIn(bytes: Uint8Array<ArrayBufferLike>): PlaceOf {
  const reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const remembered = new Map<string, Place | undefined>()
  return (address) => {
    const known = remembered.get(address)
    if (known !== undefined || remembered.has(address)) return known
    const place = find(address, reader)
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(address, place)
    return place
  }
}

/** A damaged file must not cost the event. */
function find(address: string, reader: { get(address: string): unknown }): Place | undefined {
  try {
    return placeOf(reader.get(address.replace(mappedPrefix, '')))
  } catch {
    return undefined
  }
}

function placeOf(record: unknown): Place | undefined {
  const country = textAt(record, 'country', 'iso_code') ?? textAt(record, 'country_code')
  const region = englishName(first(at(record, 'subdivisions')))
  const city = englishName(at(record, 'city'))
  if (country === undefined && region === undefined && city === undefined) return undefined
  return {
    ...(country === undefined ? {} : { country_code: country }),
    ...(region === undefined ? {} : { region }),
    ...(city === undefined ? {} : { city }),
  }
}

function englishName(value: unknown): string | undefined {
  return textAt(value, 'names', 'en')
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}

function at(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = path.reduce(at, value)
  return typeof text === 'string' && text !== '' ? text.slice(0, textCharactersMax) : undefined
}
