/**
 * One HTTP request, complete except for its event ids: `patchRequest` writes the digits of a
 * counter at every place of the body that has an id. Nothing else changes.
 */
import assert from 'node:assert'
import { counterDigits, firstWord, runIdDigits, secondWord } from './event-ids.ts'
import { flipIndex, patchableGzip } from './patchable-gzip.ts'

export interface RequestTemplate {
  readonly bytes: Buffer
  readonly eventCount: number
  /** For each event, the offsets in `bytes` of its counter digits: one or two places. */
  readonly places: readonly (readonly number[])[]
  /** Only for a gzip body: how the digits change the trailer. */
  readonly crc:
    | { readonly offset: number; readonly ofZeros: number; readonly flips: Uint32Array }
    | undefined
}

export interface RequestOptions {
  readonly path: string
  readonly host: string
  readonly headers: readonly string[]
  readonly encoding: 'identity' | 'gzip'
  /** Node SDKs send chunked bodies, other SDKs a Content-Length. */
  readonly transfer: 'length' | 'chunked'
  readonly envelope: string
  /** The ids in `envelope`, one per event; every occurrence is patched. */
  readonly eventIds: readonly string[]
}

export function buildRequest(options: RequestOptions): RequestTemplate {
  const text = Buffer.from(options.envelope, 'latin1')
  const places = options.eventIds.map((eventId) => placesOf(options.envelope, eventId))
  const flat = places.flat().sort((left, right) => left - right)
  const gzip = options.encoding === 'gzip' ? patchableGzip(text, flat, counterDigits) : undefined
  const body = gzip?.bytes ?? text
  const movedTo = new Map(flat.map((place, index) => [place, gzip?.places[index] ?? place]))

  const headers = [`POST ${options.path} HTTP/1.1`, `Host: ${options.host}`, ...options.headers]
  if (gzip !== undefined) headers.push('Content-Encoding: gzip')
  const chunked = options.transfer === 'chunked'
  headers.push(chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`)
  const head = `${headers.join('\r\n')}\r\n\r\n${chunked ? `${body.length.toString(16)}\r\n` : ''}`
  const bytes = Buffer.concat([
    Buffer.from(head, 'latin1'),
    body,
    Buffer.from(chunked ? '\r\n0\r\n\r\n' : ''),
  ])

  const movedPlaces = places.map((list) => list.map((place) => head.length + movedTo.get(place)!))
  const crc =
    gzip === undefined
      ? undefined
      : {
          offset: head.length + body.length - 8,
          ofZeros: gzip.crcOfZeros,
          flips: flipsInOrder(gzip.crcFlips, flat, places),
        }
  return { bytes, eventCount: places.length, places: movedPlaces, crc }
}

/** Sets the counters of the request's events to `counter`, `counter + 1`, … */
export function patchRequest(template: RequestTemplate, counter: number): void {
  const { bytes, crc } = template
  let check = crc?.ofZeros ?? 0
  let placeIndex = 0
  for (let event = 0; event < template.eventCount; event += 1) {
    const first = firstWord(counter + event)
    const second = secondWord(counter + event)
    for (const place of template.places[event]!) {
      writeWord(bytes, place, first)
      writeWord(bytes, place + 8, second)
      if (crc !== undefined) {
        check ^= flipsOfWord(crc.flips, placeIndex, 0, first)
        check ^= flipsOfWord(crc.flips, placeIndex, 8, second)
      }
      placeIndex += 1
    }
  }
  if (crc !== undefined) bytes.writeUInt32LE(check >>> 0, crc.offset)
}

const hexDigits = Buffer.from('0123456789abcdef')

function writeWord(bytes: Buffer, offset: number, word: number): void {
  for (let digit = 0; digit < 8; digit += 1) {
    bytes[offset + digit] = hexDigits[(word >>> (28 - 4 * digit)) & 15]!
  }
}

function flipsOfWord(flips: Uint32Array, place: number, digitFirst: number, word: number): number {
  let flip = 0
  for (let digit = 0; digit < 8; digit += 1) {
    const value = (word >>> (28 - 4 * digit)) & 15
    flip ^= flips[flipIndex(place, digitFirst + digit, counterDigits, value)]!
  }
  return flip
}

function placesOf(envelope: string, eventId: string): number[] {
  const places: number[] = []
  for (let at = envelope.indexOf(eventId); at !== -1; at = envelope.indexOf(eventId, at + 1)) {
    places.push(at + runIdDigits)
  }
  assert(places.length > 0)
  return places
}

/** Reorders the flips, which are in the order of the text, by event. */
function flipsInOrder(
  flips: Uint32Array,
  flat: readonly number[],
  places: readonly (readonly number[])[],
): Uint32Array {
  const wordsPerPlace = counterDigits * 16
  const ordered = new Uint32Array(flips.length)
  for (const [index, place] of places.flat().entries()) {
    const from = flat.indexOf(place) * wordsPerPlace
    ordered.set(flips.subarray(from, from + wordsPerPlace), index * wordsPerPlace)
  }
  return ordered
}
