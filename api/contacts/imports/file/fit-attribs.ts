/**
 * Converts attributes of other services. Those that cannot be converted are left out and reported.
 */
import {
  type Attribs,
  AttribValue,
  attribCharactersMax,
  attribKeyPattern,
  attribsMax,
} from '#schemas/rest/email/contact.ts'
import { shownText } from './shown-text.ts'

export interface FittedAttribs {
  readonly attribs: Attribs
  /** One for each attribute that was left out. */
  readonly misfits: readonly { readonly field: string; readonly rule: string }[]
}

const keyCharactersMax = 64

/** `given`: in the order of the file. Of two attributes with one key the first is kept. */
export function fitAttribs(
  given: Iterable<readonly [name: string, value: unknown]>,
): FittedAttribs {
  const attribs = new Map<string, AttribValue>()
  const misfits: { field: string; rule: string }[] = []
  for (const [name, value] of given) {
    const leaveOut = (rule: string) =>
      misfits.push({ field: `attribs.${shownText(name)}`, rule: `left out: ${rule}` })
    const key = attribKeyOf(name)
    const flat = flattened(value)
    if (flat === null) continue
    if (key === undefined) leaveOut('its name has no letter or digit')
    else if (attribs.has(key)) leaveOut(`another attribute is called ${key}`)
    else if (attribsMax <= attribs.size) leaveOut(`a contact has at most ${attribsMax} attributes`)
    else if (flat === undefined) leaveOut('it is not a string, number, boolean or flat list')
    else {
      const checked = AttribValue.safeParse(flat)
      if (checked.success) attribs.set(key, checked.data)
      else leaveOut(checkedRule(flat))
    }
  }
  return { attribs: Object.fromEntries(attribs), misfits }
}

/**
 * Makes a valid key from the name of an attribute; undefined when the name has no letter or digit.
 */
export function attribKeyOf(name: string): string | undefined {
  const key = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, keyCharactersMax)
  const isKey = attribKeyPattern.test(key) && /[A-Za-z0-9]/.test(key) && key !== '__proto__'
  return isKey ? key : undefined
}

/** Reads tags: a JSON list, or a list separated by commas, with or without quotes. */
export function tagsText(cell: string): string {
  if (cell.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(cell)
      const text = flattened(list)
      if (typeof text === 'string') return text
    } catch {
      // The cell is not JSON, so it is read as a list with commas.
    }
  }
  return cell
    .replaceAll('"', '')
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .join(', ')
}

/** Joins a list of plain values to one text; undefined for anything nested deeper. */
function flattened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => item !== null && typeof item !== 'object')
    return isPlain ? value.map(String).join(', ') : undefined
  }
  return value !== null && typeof value === 'object' ? undefined : value
}

function checkedRule(value: unknown): string {
  if (typeof value !== 'string') return 'it is not a finite number'
  return attribCharactersMax < value.length
    ? `it has more than ${attribCharactersMax} characters`
    : 'it contains NUL or an unpaired surrogate'
}
