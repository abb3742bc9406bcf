/** Reads the grouping keys that the client chose. Grouping interprets them. */
import type { Draft } from './draft.ts'
import { fieldCharactersMax, fingerprintPartsMax } from './field-limits.ts'
import { orAbsent } from './stored-event.ts'
import { cutText } from './values/clean-text.ts'
import type { Notes } from './values/notes.ts'
import { readLenientText, scalarText } from './values/read-value.ts'

export function normalizeFingerprint({ sent, notes, event, stored }: Draft): void {
  event.fingerprint = readFingerprint(sent.fingerprint, notes)
  const charactersMax = fieldCharactersMax.checksum
  const checksum = readLenientText(sent.checksum, { field: 'checksum', charactersMax, notes })
  event.checksum = orAbsent(checksum)
  stored.fingerprint = event.fingerprint
  stored.checksum = event.checksum
}

function readFingerprint(value: unknown, notes: Notes): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) {
    notes.add('fingerprint', 'must be a list')
    return undefined
  }
  const parts: string[] = []
  for (const item of value as readonly unknown[]) {
    const text = scalarText(typeof item === 'number' ? Math.trunc(item) : item)
    if (text === undefined) {
      if (item !== null) notes.add('fingerprint', 'dropped: must hold strings')
    } else if (parts.length < fingerprintPartsMax) {
      parts.push(cutText(text, fieldCharactersMax.fingerprintPart))
    } else notes.add('fingerprint', `cut to ${fingerprintPartsMax} parts`)
  }
  return parts.length === 0 ? undefined : parts
}
