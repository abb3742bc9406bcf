/** Variable-length integers of the protobuf wire format, as two pure steps: where one ends, and what it says. */

/** A varint of 64 bits has at most ten bytes; more is no varint. */
const varintBytesMax = 10

/** Behind the last byte of the varint at `at`, or -1 when it does not end in time. */
export function varintEnd(bytes: Uint8Array, at: number, end: number): number {
  const last = Math.min(end, at + varintBytesMax)
  let next = at
  while (next < last) {
    if (bytes[next]! < 0x80) return next + 1
    next += 1
  }
  return -1
}

/** Exact up to 2^53; beyond, large, which is all that a length needs to be refused. */
export function varintValue(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  let unit = 1
  for (let next = at; next < end; next += 1) {
    value += (bytes[next]! & 0x7f) * unit
    unit *= 128
  }
  return value
}

/** The low 32 bits with their sign, which is what an enum is. */
export function varintInt32(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  for (let next = at, shift = 0; next < end && shift < 32; next += 1, shift += 7) {
    value |= (bytes[next]! & 0x7f) << shift
  }
  return value
}

/** All 64 bits with their sign. */
export function varintInt64(bytes: Uint8Array, at: number, end: number): bigint {
  let value = 0n
  for (let next = at, shift = 0n; next < end; next += 1, shift += 7n) {
    value |= BigInt(bytes[next]! & 0x7f) << shift
  }
  return BigInt.asIntN(64, value)
}
