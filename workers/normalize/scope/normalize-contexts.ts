/** Data by name that describes where the program ran: contexts, extra, modules. */
import type { Draft } from '../draft.ts'
import {
  contextBounds,
  contextsPerEventMax,
  extraBounds,
  modulesPerEventMax,
} from '../field-limits.ts'
import { PlainAttribute } from '../plain-data/plain-data.ts'
import { boundObject, boundValue, type JsonValue, type StoredData } from '../values/bound-value.ts'
import { isPrototypeKey } from '../values/clean-json.ts'
import { cutText } from '../values/clean-text.ts'
import type { Notes } from '../values/notes.ts'
import { readObject, readPairs, scalarText } from '../values/read-value.ts'

const nameCharactersMax = 200
const versionCharactersMax = 200

export function normalizeContexts({ sent, notes, stored }: Draft): void {
  stored.contexts = readContexts(sent.contexts, notes)
}

export function normalizeExtra({ sent, notes, stored }: Draft): void {
  const { extra } = sent
  stored.extra =
    extra instanceof PlainAttribute
      ? extra
      : boundObject(extra, extraBounds, { field: 'extra', notes })
}

export function normalizeModules({ sent, notes, stored }: Draft): void {
  const { modules } = sent
  stored.modules = modules instanceof PlainAttribute ? modules : readModules(modules, notes)
}

/** Each context is an object with a `type`, which defaults to its name. */
function readContexts(sent: unknown, notes: Notes): StoredData | undefined {
  if (sent === undefined || sent === null) return undefined
  const contexts = readObject(sent)
  if (contexts === undefined) {
    notes.add('contexts', 'must be an object')
    return undefined
  }
  const read: Record<string, JsonValue> = {}
  let count = 0
  for (const [sentName, value] of Object.entries(contexts)) {
    const context = readObject(value)
    if (context === undefined) {
      if (value !== undefined && value !== null) notes.add('contexts', 'dropped: must be an object')
      continue
    }
    if (count === contextsPerEventMax) {
      notes.add('contexts', `cut to ${contextsPerEventMax} contexts`)
      break
    }
    const name = cutText(sentName.trim(), nameCharactersMax)
    if (name === '' || isPrototypeKey(name)) continue
    const bounded = boundValue(context, contextBounds, { field: 'contexts', notes }) as Record<
      string,
      JsonValue
    >
    const { type } = context
    if (typeof type !== 'string' || type.trim() === '') bounded['type'] = name
    read[name] = bounded
    count += 1
  }
  return count === 0 ? undefined : read
}

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
