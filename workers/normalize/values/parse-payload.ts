/**
 * Parses the bytes of an event item to a JSON object. Afterwards every text is well-formed and free
 * of NUL, no key names a prototype, and nesting is at most `jsonDepthMax`.
 */
import { eventBytesMax, jsonDepthMax, jsonKeysMax } from '#schemas/limits.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { replaceBareNumbers } from '#schemas/wire/replace-bare-numbers.ts'
import { cleanJson } from './clean-json.ts'
import { type JsonObject, readObject } from './read-value.ts'
import { scanJson } from './scan-json.ts'

export type ParsedPayload =
  | { readonly kind: 'parsed'; readonly object: JsonObject; readonly text: string }
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly detail: string }

export function parsePayload(bytes: Uint8Array): ParsedPayload {
  if (bytes.length > eventBytesMax) {
    return rejected('too_large', `event: more than ${eventBytesMax} bytes`)
  }
  const scan = scanJson(bytes, jsonDepthMax)
  if (scan.tooDeep)
    return rejected('too_deep', `event: more than ${jsonDepthMax} levels of nesting`)
  if (scan.keyCount > jsonKeysMax) {
    return rejected('too_large', `event: more than ${jsonKeysMax} keys`)
  }

  const text = decodeUtf8(bytes)
  let value = parseJson(text)
  if (value === undefined) {
    // Only very old Python clients write bare NaN, so it is looked for only after `JSON.parse`
    // failed.
    const repaired = replaceBareNumbers(text)
    if (repaired !== text) value = parseJson(repaired)
    if (value === undefined) return rejected('invalid_json', 'event: not valid JSON')
  }
  const object = readObject(scan.needsCleaning ? cleanJson(value) : value)
  if (object === undefined) return rejected('invalid_event', 'event: must be a JSON object')
  return { kind: 'parsed', object, text }
}

function rejected(reason: RejectReason, detail: string): ParsedPayload {
  return { kind: 'rejected', reason, detail }
}

/**
 * Invalid bytes become U+FFFD: PHP and native clients send them, and the rest of the event is good.
 */
function decodeUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** Returns undefined for text that is not JSON; JSON has no such value. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
