import { type FieldTerm, plainText, type SearchError } from './search-query.ts'

const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

/** The value of a field that is true or false. */
export function parseYesNo({
  field,
  values,
  operator,
  valuePosition: position,
  end,
}: FieldTerm): { readonly kind: 'answer'; readonly isYes: boolean } | SearchError {
  const text = values.length === 1 ? plainText(values[0]!) : undefined
  const isYes = operator === '=' ? words.get(text?.toLowerCase() ?? '') : undefined
  if (isYes === undefined) {
    return { kind: 'error', position, end, rule: `must be true or false after ${field}:` }
  }
  return { kind: 'answer', isYes }
}
