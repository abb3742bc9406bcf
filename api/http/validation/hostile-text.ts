/**
 * Finds text that no store can hold: NUL and lone surrogates. Also finds field names that reach the
 * prototype of an object, and bodies that are nested too deeply for recursive code.
 */
import type { FieldError } from '#schemas/error-codes.ts'

export const nestingLevelsMax = 32
/** Postgres stores neither NUL nor a lone surrogate. */
const unstorable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
const prototypeNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const fieldCharactersMax = 100

/** The first refused text in `value`. `place` names the value, such as `body`. */
export function findHostileText(value: unknown, place: string): FieldError | undefined {
  if (typeof value === 'string') return textError(value, () => [], place)
  const open: Part[] = [{ value, name: '', levels: 0, around: undefined }]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (!isPlain(part.value)) continue
    const { levels } = part
    if (levels > nestingLevelsMax) {
      return { field: place, rule: `must have at most ${nestingLevelsMax} levels of nesting` }
    }
    for (const [name, inner] of Object.entries(part.value)) {
      const error =
        nameError(name, part, place) ?? textError(inner, () => [...pathOf(part), name], place)
      if (error !== undefined) return error
      if (typeof inner === 'object') {
        open.push({ value: inner, name, levels: levels + 1, around: part })
      }
    }
  }
  return undefined
}

interface Part {
  readonly value: unknown
  readonly name: string
  readonly levels: number
  readonly around: Part | undefined
}

/** Built for errors only, because a body may have thousands of parts. */
function pathOf(part: Part): string[] {
  const names: string[] = []
  for (let at = part; at.around !== undefined; at = at.around) names.unshift(at.name)
  return names
}

/** An object or array as a parser creates it, in contrast to a stream or a buffer. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Parsers of paths and queries create objects with an empty prototype of their own.
  return prototype === null || Array.isArray(value) || Object.getPrototypeOf(prototype) === null
}

function nameError(name: string, within: Part, place: string): FieldError | undefined {
  if (prototypeNames.has(name))
    return {
      field: fieldOf([...pathOf(within), name], place),
      rule: 'is a reserved name and must not be used as a field',
    }
  if (!unstorable.test(name)) return undefined
  return {
    field: fieldOf(pathOf(within), place),
    rule: 'must not have a field name with a NUL character or a lone surrogate',
  }
}

function textError(
  text: unknown,
  path: () => readonly string[],
  place: string,
): FieldError | undefined {
  if (typeof text !== 'string' || !unstorable.test(text)) return undefined
  const rule = text.includes('\0')
    ? 'must not contain a NUL character (U+0000)'
    : 'must be well-formed Unicode, without lone surrogates'
  return { field: fieldOf(path(), place), rule }
}

function fieldOf(path: readonly string[], place: string): string {
  return path.length === 0 ? place : path.join('.').slice(0, fieldCharactersMax)
}

/** True if percent-encoded bytes are not UTF-8. A `%` without two hex digits is accepted. */
export function hasBrokenEncoding(query: string): boolean {
  return (query.match(/(?:%[0-9a-f]{2})+/gi) ?? []).some((bytes) => {
    try {
      decodeURIComponent(bytes)
      return false
    } catch {
      return true
    }
  })
}
