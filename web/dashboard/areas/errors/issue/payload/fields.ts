/** Reads JSON of any shape without trusting it: what does not have the expected form is absent. */
export type Fields = Readonly<Record<string, unknown>>

const nothing: Fields = {}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : nothing
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Pairs of names and values, sent as a list of pairs or as an object. */
export function pairsOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (!Array.isArray(value)) return Object.entries(fieldsOf(value))
  return value.flatMap((pair) => {
    const [name, entry] = listOf(pair)
    return typeof name === 'string' ? [[name, entry] as const] : []
  })
}
