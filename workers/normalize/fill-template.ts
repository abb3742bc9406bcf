import { type JsonObject, readObject, scalarText } from './values/read-value.ts'

const percentPlaceholder = /%(?:\((\w{1,64})\))?[-+0-9.# ]{0,8}([a-zA-Z%])/g
const bracePlaceholder = /\{(\w{0,64})(?::[^{}]{0,32})?\}/g
/** Longer than any message that is stored; the caller cuts it further. */
const filledCharactersMax = 65_536

/**
 * Fills parameters into a template, in the style of Python (`%s`, `%(name)s`) or with braces (`{}`,
 * `{0}`, `{name}`). Returns undefined if they do not fit; the caller then shows the template.
 */
export function fillTemplate(template: string, params: unknown): string | undefined {
  const source = paramSource(params)
  if (source === undefined || template === '') return undefined
  return (
    fill(template, percentPlaceholder, source, 'percent') ??
    fill(template, bracePlaceholder, source, 'brace')
  )
}

interface ParamSource {
  readonly list: readonly unknown[]
  readonly named: JsonObject
}

function paramSource(params: unknown): ParamSource | undefined {
  if (Array.isArray(params)) return params.length === 0 ? undefined : { list: params, named: {} }
  const named = readObject(params)
  return named === undefined ? undefined : { list: [], named }
}

function fill(
  template: string,
  placeholder: RegExp,
  { list, named }: ParamSource,
  style: 'percent' | 'brace',
): string | undefined {
  let filled = ''
  let copied = 0
  let listed = 0
  let count = 0
  for (const match of template.matchAll(placeholder)) {
    const [whole, name = '', kind] = match
    filled += template.slice(copied, match.index)
    copied = match.index + whole.length
    if (style === 'percent' && kind === '%') {
      filled += '%'
      continue
    }
    let value: unknown
    if (name === '') {
      value = list[listed]
      listed += 1
    } else if (style === 'brace' && /^\d{1,4}$/.test(name)) {
      value = list[Number(name)]
    } else {
      value = Object.hasOwn(named, name) ? named[name] : undefined
    }
    if (value === undefined) return undefined
    filled += scalarText(value) ?? JSON.stringify(value)
    if (filled.length > filledCharactersMax) return undefined
    count += 1
  }
  // A list with more values than placeholders is for another style, or for none.
  if (count === 0 || (listed > 0 && listed < list.length)) return undefined
  return filled + template.slice(copied)
}
