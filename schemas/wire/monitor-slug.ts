import { type StoredText, storedText } from '../stored-text.ts'

/** Longer slugs are cut, as clients and relays cut them. */
const slugCharactersMax = 50

/**
 * The name under which check-ins find their monitor: lower case, letters, digits, `_` and `-`. Cleaned again it stays as it is.
 * Undefined: nothing is left of it.
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
