/** Attributes of another service, made to fit ours: what has no counterpart is left out and named. */
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

/** `given`: in the order of the file; the first of two that have one key stays. */
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
    else if (flat === undefined) leaveOut('it is neither a text, a number, true, false nor a list')
    else {
      const checked = AttribValue.safeParse(flat)
      if (checked.success) attribs.set(key, checked.data)
      else leaveOut(checkedRule(flat))
    }
  }
  return { attribs: Object.fromEntries(attribs), misfits }
}

/** A key of ours for a name of theirs; undefined: there is none. */
export function attribKeyOf(name: string): string | undefined {
  const key = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, keyCharactersMax)
  const isKey = attribKeyPattern.test(key) && /[A-Za-z0-9]/.test(key) && key !== '__proto__'
  return isKey ? key : undefined
}

/** Tags as services write them: a JSON list, or separated by commas, each perhaps in quotes. */
export function tagsText(cell: string): string {
  if (cell.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(cell)
      const text = flattened(list)
      if (typeof text === 'string') return text
    } catch {
      // Not JSON: read as a list with commas.
    }
  }
  return cell
    .replaceAll('"', '')
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .join(', ')
}

/** A list of plain values as one text; undefined: nested any deeper. */
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
    : 'it holds NUL or half a surrogate pair'
}
