import { modulesPerEventMax } from '../field-limits.ts'
import type { JsonValue, StoredData } from './bound-value.ts'
import { isPrototypeKey } from './clean-json.ts'
import { cutText } from './clean-text.ts'
import type { Notes } from './notes.ts'
import { readObject, readPairs, scalarText } from './read-value.ts'

const nameCharactersMax = 200
const versionCharactersMax = 200

/** Versions by name. Some clients send a list of `{name, version}` instead of a map. */
export function readModules(sent: unknown, notes: Notes): StoredData | undefined {
  if (sent === undefined || sent === null) return undefined
  const pairs = Array.isArray(sent) ? namedVersions(sent) : readPairs(sent)
  if (pairs === undefined) {
    notes.add('modules', 'must be an object or a list')
    return undefined
  }
  const read: Record<string, JsonValue> = {}
  let count = 0
  for (const [name, version] of pairs) {
    if (typeof name !== 'string' || name === '' || isPrototypeKey(name)) continue
    if (count === modulesPerEventMax) {
      notes.add('modules', `cut to ${modulesPerEventMax} modules`)
      break
    }
    read[cutText(name, nameCharactersMax)] = cutText(
      scalarText(version) ?? '',
      versionCharactersMax,
    )
    count += 1
  }
  return count === 0 ? undefined : read
}

function namedVersions(list: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  return list.map((item) => {
    const { name, version } = readObject(item) ?? {}
    return [name, version]
  })
}
