/**
 * Remarks of SDKs about values that they cut or removed: a tree in the shape of the event, in which
 * the key `""` holds the remarks about the value at its path.
 */
import { fieldsOf, listOf, numberOf, textOf } from './fields.ts'

export interface Remark {
  readonly path: string
  readonly text: string
}

const remarksMax = 200
const depthMax = 30

export function readRemarks(meta: unknown): readonly Remark[] {
  const remarks: Remark[] = []
  collect(meta, [], remarks)
  return remarks
}

/** Undefined unless the text at the path was cut. */
export function lengthSentAt(meta: unknown, path: readonly string[]): number | undefined {
  const node = path.reduce<unknown>((inner, name) => fieldsOf(inner)[name], meta)
  return numberOf(fieldsOf(fieldsOf(node)[''])['len'])
}

function collect(node: unknown, path: readonly string[], remarks: Remark[]): void {
  if (remarks.length >= remarksMax || path.length > depthMax) return
  for (const [name, inner] of Object.entries(fieldsOf(node))) {
    if (name !== '') {
      collect(inner, [...path, name], remarks)
      continue
    }
    const text = describe(inner)
    if (text !== '') remarks.push({ path: path.join('.'), text })
  }
}

function describe(value: unknown): string {
  const { len, rem, err } = fieldsOf(value)
  const length = numberOf(len)
  const rules = listOf(rem).map((rule) => textOf(listOf(rule)[0]) ?? '?')
  const faults = listOf(err).map((fault) => textOf(fault) ?? textOf(listOf(fault)[0]) ?? '?')
  return [
    ...rules.map((rule) => (rule === '!limit' ? 'cut' : `removed by ${rule}`)),
    ...faults,
    ...(length === undefined ? [] : [`length ${length.toLocaleString('en')} before`]),
  ].join(', ')
}
