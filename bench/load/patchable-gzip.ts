/**
 * A gzip body whose hex digits at given places can be changed without compressing again. The digits
 * are in stored blocks, the text between them is deflated, and CRC-32 is linear, so a changed digit
 * flips known bits of the trailer. Otherwise the generator would spend more time on gzip than the
 * server on the whole request.
 */
import assert from 'node:assert'
import { constants, crc32, deflateRawSync } from 'node:zlib'

export interface PatchableGzip {
  readonly bytes: Buffer
  /** Offsets in `bytes` at which the places begin. */
  readonly places: readonly number[]
  /** For each place, digit and value: the bits to flip in the CRC, relative to the digit '0'. */
  readonly crcFlips: Uint32Array
  /** CRC with the digit '0' at all places. */
  readonly crcOfZeros: number
}

/** Header of a stored block of deflate: flags, length and its complement. */
const storedHeaderBytes = 5
const trailerBytes = 8
const hexDigits = Buffer.from('0123456789abcdef')

/**
 * `places` are ascending offsets in `text`; each place has `digits` hex digits and is filled with
 * '0'.
 */
export function patchableGzip(
  text: Buffer,
  places: readonly number[],
  digits: number,
): PatchableGzip {
  const plain = Buffer.from(text)
  for (const place of places) plain.fill('0', place, place + digits)

  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])]
  const placesInGzip: number[] = []
  let length = 10
  let from = 0
  for (const place of places) {
    const deflated = deflateRawSync(plain.subarray(from, place), {
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    const header = Buffer.alloc(storedHeaderBytes)
    header.writeUInt16LE(digits, 1)
    header.writeUInt16LE(~digits & 0xffff, 3)
    parts.push(deflated, header, plain.subarray(place, place + digits))
    placesInGzip.push(length + deflated.length + storedHeaderBytes)
    length += deflated.length + storedHeaderBytes + digits
    from = place + digits
  }
  const crcOfZeros = crc32(plain)
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeUInt32LE(crcOfZeros, 0)
  trailer.writeUInt32LE(plain.length, 4)
  parts.push(deflateRawSync(plain.subarray(from)), trailer)
  return {
    bytes: Buffer.concat(parts),
    places: placesInGzip,
    crcFlips: crcFlips(plain.length, places, digits),
    crcOfZeros,
  }
}

/** Index in `crcFlips` of one value of one digit of a place. */
export function flipIndex(place: number, digit: number, digits: number, value: number): number {
  return (place * digits + digit) * 16 + value
}

/**
 * Computes the effect of each hex digit at each place on the CRC. It moves from the end of the text
 * to its beginning, tracking the CRC state that each single bit would produce.
 */
function crcFlips(textBytes: number, places: readonly number[], digits: number): Uint32Array {
  const flips = new Uint32Array(places.length * digits * 16)
  const ofBit = Uint32Array.from({ length: 8 }, (_, bit) => crcTable[1 << bit]!)
  let position = textBytes - 1
  for (let place = places.length - 1; place >= 0; place -= 1) {
    for (let digit = digits - 1; digit >= 0; digit -= 1) {
      const target = places[place]! + digit
      assert(target <= position)
      for (; position > target; position -= 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          const state = ofBit[bit]!
          ofBit[bit] = (state >>> 8) ^ crcTable[state & 0xff]!
        }
      }
      for (let value = 0; value < 16; value += 1) {
        const changed = hexDigits[value]! ^ 0x30
        let flip = 0
        for (let bit = 0; bit < 8; bit += 1) if ((changed >> bit) & 1) flip ^= ofBit[bit]!
        flips[flipIndex(place, digit, digits, value)] = flip
      }
    }
  }
  return flips
}

/** Table for CRC-32 of gzip (RFC 1952), one byte at a time. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let state = byte
  for (let bit = 0; bit < 8; bit += 1) state = state & 1 ? (state >>> 1) ^ 0xedb8_8320 : state >>> 1
  return state
})
