/** Variable-length integers of the protobuf wire format: where one ends, and its value. */

/** A varint of 64 bits has at most ten bytes. */
const varintBytesMax = 10

/** Position after the varint at `at`, or -1 when it does not end within that length. */
export function varintEnd(bytes: Uint8Array, at: number, end: number): number {
  const last = Math.min(end, at + varintBytesMax)
  let next = at
  while (next < last) {
    if (bytes[next]! < 0x80) return next + 1
    next += 1
  }
  return -1
}

/** Exact up to 2^53. Larger values are approximate, which suffices to reject them as lengths. */
export function varintValue(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  let unit = 1
  for (let next = at; next < end; next += 1) {
    value += (bytes[next]! & 0x7f) * unit
    unit *= 128
  }
  return value
}

/** The low 32 bits as a signed integer, which is the value of an enum. */
export function varintInt32(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  for (let next = at, shift = 0; next < end && shift < 32; next += 1, shift += 7) {
    value |= (bytes[next]! & 0x7f) << shift
  }
  return value
}

/** All 64 bits as a signed integer. */
export function varintInt64(bytes: Uint8Array, at: number, end: number): bigint {
  let value = 0n
  for (let next = at, shift = 0n; next < end; next += 1, shift += 7n) {
    value |= BigInt(bytes[next]! & 0x7f) << shift
  }
  return BigInt.asIntN(64, value)
}
