/** Attributes of a contact as rows of a form. */

export type AttribValue = string | number | boolean | null

export interface AttribRow {
  readonly key: string
  readonly text: string
}

/** 3 becomes `3`; the text "3" becomes `"3"`, so that it stays a text. */
export function rowsOfAttribs(attribs: Readonly<Record<string, AttribValue>>): AttribRow[] {
  return Object.entries(attribs).map(([key, value]) => ({ key, text: textOfValue(value) }))
}

export function textOfValue(value: AttribValue): string {
  if (typeof value !== 'string') return String(value)
  return typeof valueOfText(value) === 'string' && !/^".*"$/s.test(value)
    ? value
    : JSON.stringify(value)
}

/** `3` is a number, `true` and `false` are booleans, `"3"` and everything else are texts. */
export function valueOfText(text: string): string | number | boolean {
  if (text === 'true') return true
  if (text === 'false') return false
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (/^".*"$/s.test(text)) {
    try {
      return String(JSON.parse(text))
    } catch {
      return text
    }
  }
  return text
}

/** What PATCH needs: changed and new values, and null for what was removed. */
export function changeOfAttribs(
  before: Readonly<Record<string, AttribValue>>,
  rows: readonly AttribRow[],
): Record<string, AttribValue> {
  const after = new Map(
    rows.filter(({ key }) => key.trim() !== '').map(({ key, text }) => [key.trim(), text]),
  )
  const change: Record<string, AttribValue> = {}
  for (const [key, text] of after) {
    const value = valueOfText(text)
    if (!Object.hasOwn(before, key) || before[key] !== value) change[key] = value
  }
  for (const key of Object.keys(before)) if (!after.has(key)) change[key] = null
  return change
}
