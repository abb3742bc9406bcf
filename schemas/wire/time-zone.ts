/**
 * Names of the tz database that this runtime supports, including old aliases (`Asia/Calcutta`), but
 * no bare offsets.
 */

/**
 * Cache of valid zones that were used. There are some hundreds of names, in a few spellings each.
 */
const known = new Set<string>()
const knownMax = 2_000
const nameCharactersMax = 64

export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true
  if (!/^[A-Za-z]/.test(name) || nameCharactersMax < name.length) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
  if (known.size < knownMax) known.add(name)
  return true
}
