/** Data by name that describes where the program ran: contexts, extra, modules. */
import type { Draft } from '../draft.ts'
import { contextBounds, contextsPerEventMax, extraBounds } from '../field-limits.ts'
import { PlainAttribute } from '../plain-data/plain-data.ts'
import { boundObject, boundValue, type JsonValue, type StoredData } from '../values/bound-value.ts'
import { isPrototypeKey } from '../values/clean-json.ts'
import { cutText } from '../values/clean-text.ts'
import type { Notes } from '../values/notes.ts'
import { readModules } from '../values/read-modules.ts'
import { readObject } from '../values/read-value.ts'

const nameCharactersMax = 200

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
