import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares two secrets in a time that does not depend on where they differ. */
export function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
