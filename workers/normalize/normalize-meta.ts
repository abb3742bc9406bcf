/** What a client reports about its own event: faults in it, and values that it cut or removed. */
import type { Draft } from './draft.ts'
import { errorsPerEventMax, metaBounds, smallBounds } from './field-limits.ts'
import { boundObject, boundValue, type JsonValue } from './values/bound-value.ts'
import { withCutTexts } from './values/mark-cut-texts.ts'
import { readObject } from './values/read-value.ts'

export function normalizeErrors({ sent, notes, stored }: Draft): void {
  const { errors } = sent
  if (errors === undefined || errors === null) return
  if (!Array.isArray(errors)) {
    notes.add('errors', 'must be a list')
    return
  }
  if (errors.length > errorsPerEventMax) notes.add('errors', `cut to ${errorsPerEventMax} errors`)
  const read: JsonValue[] = []
  for (const error of errors.slice(0, errorsPerEventMax) as readonly unknown[]) {
    if (readObject(error) === undefined) notes.add('errors', 'must hold objects only')
    else read.push(boundValue(error, smallBounds, { field: 'errors', notes }))
  }
  if (read.length > 0) stored.errors = read
}

export function normalizeMeta({ sent, notes, stored, cutTexts }: Draft): void {
  const meta = boundObject(sent._meta, metaBounds, { field: '_meta', notes })
  stored._meta = withCutTexts(meta, cutTexts)
}
