/** Names of the tz database as this runtime knows them, old aliases (`Asia/Calcutta`) too; a bare offset is none. */

/** Zones that were asked for and exist. There are some hundreds of names, in a few spellings each. */
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
