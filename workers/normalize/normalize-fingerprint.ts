import { fieldCharactersMax, fingerprintPartsMax } from './field-limits.ts'
import { cutText } from './values/clean-text.ts'
import type { Notes } from './values/notes.ts'
import { scalarText } from './values/read-value.ts'

/** The grouping key that the program chose. What its parts mean is grouping's to say. */
export function normalizeFingerprint(value: unknown, notes: Notes): readonly string[] | undefined {
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
