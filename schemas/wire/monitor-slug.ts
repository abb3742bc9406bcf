import { type StoredText, storedText } from '../stored-text.ts'

/** Longer slugs are truncated, as clients and relays truncate them. */
const slugCharactersMax = 50

/**
 * Normalises the slug that identifies a monitor: lower case, alphanumeric characters, `_` and `-`.
 * Idempotent. Undefined when nothing is left.
 */
export function monitorSlug(text: string): StoredText | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .slice(0, slugCharactersMax)
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
  return /[\p{L}\p{N}]/u.test(plain) ? storedText(plain) : undefined
}
