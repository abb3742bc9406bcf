/** Recognises error records without a severity number by the words that logging libraries use. */
import { errorSeverityMin, fatalSeverityMin } from '#schemas/wire/otlp-log.ts'

const errorText = /^(?:err(?:or)?[2-4]?|alert|severe)$/i
const fatalText = /^(?:fatal[2-4]?|crit(?:ical)?|emerg(?:ency)?|d?panic)$/i
/** Longer words cannot match. */
const textCharactersMax = 24

/** 0 for a word that does not mean error. */
export function severityOfText(text: string): number {
  if (textCharactersMax < text.length) return 0
  const word = text.trim()
  if (errorText.test(word)) return errorSeverityMin
  return fatalText.test(word) ? fatalSeverityMin : 0
}

/**
 * Same as above for `bytes[start, end)`, without creating a string for common words below error.
 */
export function isErrorText(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length < 3 || textCharactersMax < length) return false
  // No error word begins with the first character of `info`, `debug`, `trace`, `warn` or `notice`.
  switch (bytes[start]! | 0x20) {
    case 0x69:
    case 0x74:
    case 0x77:
    case 0x6e:
      return false
  }
  const text = String.fromCharCode(...bytes.subarray(start, end))
  return severityOfText(text) !== 0
}

const nameSeverities: readonly string[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']
const severityName = /^SEVERITY_NUMBER_([A-Z]{4,5})([2-4]?)$/

/**
 * Reads a `severityNumber` of the JSON encoding: a number by the specification; some senders write
 * its name, or digits as text. 0 for anything else.
 */
export function severityOfValue(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? value : 0
  if (typeof value !== 'string' || textCharactersMax * 2 < value.length) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const name = severityName.exec(value)
  const index = name === null ? -1 : nameSeverities.indexOf(name[1]!)
  return index < 0 ? 0 : index * 4 + Number(name?.[2] || 1)
}
