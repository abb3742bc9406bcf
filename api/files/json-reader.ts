/**
 * Parses JSON (RFC 8259) in steps, for files that are too large to parse at once. Accepts what
 * `JSON.parse` accepts, within limits on nesting, fields of an object and length of a string. Can
 * yield the items of a list one by one, so that they are not all in memory.
 */
import { Slices } from './slices.ts'

export const fileLevelsMax = 100
export const fileFieldsMax = 10_000
export const fileTextCharactersMax = 4 * 1024 * 1024

/** The rule in the error about text that is not JSON. */
export const notJsonRule = 'must be JSON'

/** The text is not JSON, or exceeds a limit. The message is a rule such as `must be JSON`. */
export class JsonFileError extends Error {}

/** Undefined when the caller may let other work run. */
export type JsonStep = { readonly item: unknown } | undefined

interface OpenValue {
  readonly value: unknown[] | Record<string, unknown>
  readonly end: number
  fieldCount: number
  /** In an object, the name of the field whose value is read next. */
  name: string
}

const stepsBetween = 2_000
const comma = ','.charCodeAt(0)
const colon = ':'.charCodeAt(0)
const quote = '"'.charCodeAt(0)
const backslash = '\\'.charCodeAt(0)
const openBracket = '['.charCodeAt(0)
const closeBracket = ']'.charCodeAt(0)
const openBrace = '{'.charCodeAt(0)
const closeBrace = '}'.charCodeAt(0)
const spaces: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20])
/** The lengths bound the work of the regular expression. */
const plainToken = /true|false|null|-?(?:0|[1-9]\d{0,999})(?:\.\d{1,999})?(?:[eE][+-]?\d{1,99})?/y

/**
 * Returns the whole value. The items of lists that `isList` accepts are yielded instead of being
 * kept; its argument is the path of field names that leads to the list.
 */
export function* readJson(
  text: string,
  isList: (path: readonly string[]) => boolean = () => false,
): Generator<JsonStep, unknown> {
  const open: OpenValue[] = []
  let at = 0
  let steps = 0
  /** Level of the list whose items are yielded; 0 for none. */
  let listed = 0

  function* skip(): Generator<undefined> {
    while (spaces.has(text.charCodeAt(at))) {
      at += 1
      steps += 1
      if (steps % stepsBetween === 0) yield undefined
    }
  }
  function* name(within: OpenValue): Generator<undefined> {
    yield* skip()
    if (text.charCodeAt(at) !== quote) throw notJson()
    within.name = string()
    within.fieldCount += 1
    if (fileFieldsMax < within.fieldCount) {
      throw new JsonFileError(`must have at most ${fileFieldsMax} fields in one object`)
    }
    yield* skip()
    if (text.charCodeAt(at) !== colon) throw notJson()
    at += 1
  }
  function string(): string {
    let end = text.indexOf('"', at + 1)
    while (end !== -1 && end - at <= fileTextCharactersMax && isEscaped(text, end, at)) {
      end = text.indexOf('"', end + 1)
    }
    if (end === -1) throw notJson()
    if (fileTextCharactersMax < end - at) {
      throw new JsonFileError(`must have no text of more than ${fileTextCharactersMax} characters`)
    }
    const read = parsed(text.slice(at, end + 1))
    at = end + 1
    return read
  }
  function scalar(): unknown {
    if (text.charCodeAt(at) === quote) return string()
    plainToken.lastIndex = at
    const token = plainToken.exec(text)?.[0]
    if (token === undefined) throw notJson()
    at += token.length
    return parsed(token)
  }

  for (;;) {
    if (++steps % stepsBetween === 0) yield undefined
    if (isSpace(text, at)) yield* skip()
    const first = text.charCodeAt(at)
    let value: unknown
    if (first === openBracket || first === openBrace) {
      if (fileLevelsMax <= open.length) {
        throw new JsonFileError(`must have at most ${fileLevelsMax} levels of nesting`)
      }
      const isArray = first === openBracket
      const opened: OpenValue = isArray
        ? { value: [], end: closeBracket, fieldCount: 0, name: '' }
        : { value: {}, end: closeBrace, fieldCount: 0, name: '' }
      at += 1
      if (isSpace(text, at)) yield* skip()
      if (text.charCodeAt(at) !== opened.end) {
        if (isArray && listed === 0 && isList(open.map((around) => around.name))) {
          listed = open.length + 1
        }
        open.push(opened)
        if (!isArray) yield* name(opened)
        continue
      }
      at += 1
      value = opened.value
    } else {
      value = scalar()
    }

    // A complete value is added to the open one around it, which may then be complete, too.
    for (;;) {
      if (++steps % stepsBetween === 0) yield undefined
      if (isSpace(text, at)) yield* skip()
      const around = open.at(-1)
      if (around === undefined) {
        if (at < text.length) throw notJson()
        return value
      }
      if (open.length === listed) yield { item: value }
      else put(around, value)
      const next = text.charCodeAt(at)
      at += 1
      if (next === comma) {
        if (around.end === closeBrace) yield* name(around)
        break
      }
      if (next !== around.end) throw notJson()
      if (open.length === listed) listed = 0
      open.pop()
      value = around.value
    }
  }
}

/** Parses a whole text and lets other work run in between. Throws `JsonFileError`. */
export async function readWholeJson(text: string): Promise<unknown> {
  const slices = new Slices()
  const steps = readJson(text)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    await slices.next()
  }
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20
}

/** Whether the quote at `at` is escaped in the string that begins at `start`. */
function isEscaped(text: string, at: number, start: number): boolean {
  let before = at - 1
  while (start < before && text.charCodeAt(before) === backslash) before -= 1
  return (at - before) % 2 === 0
}

function put({ value, name }: OpenValue, part: unknown): void {
  if (Array.isArray(value)) value.push(part)
  else if (name !== '__proto__') value[name] = part
  // Defines an own field, as JSON.parse does.
  else Object.defineProperty(value, name, { value: part, ...ownField })
}

const ownField = { enumerable: true, configurable: true, writable: true }

// biome-ignore lint/suspicious/noExplicitAny: the type of JSON.parse.
function parsed(token: string): any {
  try {
    return JSON.parse(token)
  } catch {
    throw notJson()
  }
}

function notJson(): JsonFileError {
  return new JsonFileError(notJsonRule)
}
