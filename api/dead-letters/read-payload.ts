/** The payload of a dead letter for people, of bounded length. */
import { KiB } from '#schemas/limits.ts'

const payloadCharactersMax = 64 * KiB
const hexBytesMax = 4 * KiB

export interface Payload {
  readonly encoding: 'text' | 'hex'
  readonly payload: string
  readonly isTruncated: boolean
}

/** JSON in UTF-8 is shown as text, everything else as hex digits. */
export function readPayload(bytes: Buffer): Payload {
  const text = readJsonText(bytes)
  if (text === undefined) {
    const payload = bytes.toString('hex', 0, hexBytesMax)
    return { encoding: 'hex', payload, isTruncated: bytes.length > hexBytesMax }
  }
  const isTruncated = text.length > payloadCharactersMax
  const payload = isTruncated ? text.slice(0, payloadCharactersMax).toWellFormed() : text
  return { encoding: 'text', payload, isTruncated }
}

function readJsonText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}
