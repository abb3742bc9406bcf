/**
 * Parses the bytes of an event item to a JSON object. Afterwards every text is well-formed and free
 * of NUL, no key names a prototype, and nesting is at most `jsonDepthMax`.
 */
import { eventBytesMax, jsonDepthMax, jsonKeysMax } from '#schemas/limits.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { replaceBareNumbers } from '#schemas/wire/replace-bare-numbers.ts'
import { cleanJson } from './clean-json.ts'
import { type Cut, type Cuttable, needCleaning } from './cut-parts.ts'
import { type JsonObject, readObject } from './read-value.ts'
import { scanJson } from './scan-json.ts'

export type ParsedPayload =
  | {
      readonly kind: 'parsed'
      readonly object: JsonObject
      /** What was cut: in the object, the number of each part takes its place. */
      readonly cuts: readonly Cut[]
    }
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly detail: string }

/** @param cuttable what may be cut; by default nothing is. */
export function parsePayload(payload: Uint8Array, cuttable?: Cuttable): ParsedPayload {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  if (bytes.length > eventBytesMax) {
    return rejected('too_large', `event: more than ${eventBytesMax} bytes`)
  }
  const scan = scanJson(bytes, jsonDepthMax, cuttable)
  if (scan.tooDeep)
    return rejected('too_deep', `event: more than ${jsonDepthMax} levels of nesting`)
  if (scan.keyCount > jsonKeysMax) {
    return rejected('too_large', `event: more than ${jsonKeysMax} keys`)
  }

  let { cuts, needsCleaning } = scan
  let value = parseJson(textWithout(cuts, bytes))
  if (value === undefined) {
    // Only very old Python clients write bare NaN, so it is looked for only after `JSON.parse`
    // failed.
    const text = decodePayload(bytes)
    const repaired = replaceBareNumbers(text)
    needsCleaning ||= needCleaning(cuts)
    cuts = []
    if (repaired !== text) value = parseJson(repaired)
    if (value === undefined) return rejected('invalid_json', 'event: not valid JSON')
  }
  const object = readObject(needsCleaning ? cleanJson(value) : value)
  if (object === undefined) return rejected('invalid_event', 'event: must be a JSON object')
  return { kind: 'parsed', object, cuts }
}

/**
 * Text of the payload. Invalid bytes become U+FFFD: PHP and native clients send them, and the rest
 * of the event is good.
 */
export function decodePayload(bytes: Uint8Array): string {
  return textWithout([], Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

/** The text with the number of each cut in its place. */
function textWithout(cuts: readonly Cut[], bytes: Buffer): string {
  let text = ''
  let from = 0
  for (const [index, { start, end }] of cuts.entries()) {
    // Most frames and breadcrumbs follow another one.
    text += from + 1 === start ? `,${index}` : bytes.toString('utf8', from, start) + index
    from = end
  }
  text += bytes.toString('utf8', from)
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function rejected(reason: RejectReason, detail: string): ParsedPayload {
  return { kind: 'rejected', reason, detail }
}

/** Returns undefined for text that is not JSON; JSON has no such value. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
