import { varintEnd, varintValue } from './protobuf-varint.ts'

/** Maximum nesting of groups. They are legal, but no client sends them. */
const groupDepthMax = 32

/**
 * Position after a field's value, or -1 when it is cut short or has an unknown wire type.
 * @param at position after the tag, whose low three bits are the wire type.
 */
export function skipField(bytes: Uint8Array, tag: number, at: number, end: number): number {
  switch (tag & 7) {
    case 0:
      return varintEnd(bytes, at, end)
    case 1:
      return at + 8 <= end ? at + 8 : -1
    case 2: {
      const bodyStart = varintEnd(bytes, at, end)
      if (bodyStart < 0) return -1
      const length = varintValue(bytes, at, bodyStart)
      return length <= end - bodyStart ? bodyStart + length : -1
    }
    case 3:
      return skipGroup(bytes, tag, at, end)
    case 5:
      return at + 4 <= end ? at + 4 : -1
    default:
      return -1
  }
}

/** Same as above, starting at the tag. */
export function skipWholeField(bytes: Uint8Array, at: number, end: number): number {
  const tagEnd = varintEnd(bytes, at, end)
  if (tagEnd < 0) return -1
  const tag = varintValue(bytes, at, tagEnd)
  return isTag(tag) ? skipField(bytes, tag, tagEnd, end) : -1
}

/** A tag is a 32-bit number with a field number of at least 1. */
export function isTag(tag: number): boolean {
  return 8 <= tag && tag <= 0xffffffff
}

function skipGroup(bytes: Uint8Array, firstTag: number, start: number, end: number): number {
  const open = [firstTag >>> 3]
  let at = start
  while (at < end) {
    const tagEnd = varintEnd(bytes, at, end)
    if (tagEnd < 0) return -1
    const tag = varintValue(bytes, at, tagEnd)
    if (!isTag(tag)) return -1
    at = tagEnd
    if ((tag & 7) === 4) {
      if (open.pop() !== tag >>> 3) return -1
      if (open.length === 0) return at
    } else if ((tag & 7) === 3) {
      if (groupDepthMax <= open.length) return -1
      open.push(tag >>> 3)
    } else {
      at = skipField(bytes, tag, at, end)
      if (at < 0) return -1
    }
  }
  return -1
}
