/**
 * The HTTP request during which the error happened. Lists, maps and texts become one shape each.
 */
import type { Draft } from '../draft.ts'
import { fieldCharactersMax, pairsMax, requestDataBounds, smallBounds } from '../field-limits.ts'
import { orAbsent, type Pairs, type StoredRequest } from '../stored-event.ts'
import { boundObject, boundValue, type JsonValue } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import { fitText, readObject, readPairs, readText, scalarText } from '../values/read-value.ts'

export function normalizeRequest({ sent, notes, event, stored }: Draft): void {
  stored.request = readRequest(sent.request, notes)
  event.request = stored.request
}

function readRequest(sent: unknown, notes: Notes): StoredRequest | undefined {
  if (sent === undefined || sent === null) return undefined
  const request = readObject(sent)
  if (request === undefined) {
    notes.add('request', 'must be an object')
    return undefined
  }
  const { url, method, query_string, fragment, data, headers, cookies, env } = request
  const { inferred_content_type, api_target } = request
  const text = (value: unknown, field: string, charactersMax: number) =>
    readText(value, { field: `request.${field}`, charactersMax, notes })

  const parts = splitUrl(text(url, 'url', fieldCharactersMax.url + fieldCharactersMax.queryString))
  const query = readQuery(query_string, notes)
  const read: StoredRequest = {
    url: orAbsent(text(parts.url, 'url', fieldCharactersMax.url)),
    method: orAbsent(text(method, 'method', 32).toUpperCase()),
    query_string: orAbsent(
      text(query || parts.query, 'query_string', fieldCharactersMax.queryString),
    ),
    fragment: orAbsent(text(fragment ?? parts.fragment, 'fragment', fieldCharactersMax.url)),
    data: readData(data, notes),
    inferred_content_type: orAbsent(text(inferred_content_type, 'inferred_content_type', 256)),
    headers: readPairList(headers, 'request.headers', notes),
    cookies:
      typeof cookies === 'string'
        ? cookiePairs(cookies, notes)
        : readPairList(cookies, 'request.cookies', notes),
    env: boundObject(env, smallBounds, { field: 'request.env', notes }),
    api_target: orAbsent(text(api_target, 'api_target', 64)),
  }
  return Object.values(read).every((value) => value === undefined) ? undefined : read
}

function splitUrl(text: string): { url: string; query: string; fragment: string } {
  const hash = text.indexOf('#')
  const fragment = hash === -1 ? '' : text.slice(hash + 1)
  const beforeHash = hash === -1 ? text : text.slice(0, hash)
  const mark = beforeHash.indexOf('?')
  return mark === -1
    ? { url: beforeHash, query: '', fragment }
    : { url: beforeHash.slice(0, mark), query: beforeHash.slice(mark + 1), fragment }
}

function readQuery(value: unknown, notes: Notes): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.trim().replace(/^\?/, '')
  const pairs = readPairs(value)
  if (pairs === undefined) {
    notes.add('request.query_string', 'must be a string, an object or a list of pairs')
    return ''
  }
  return pairs
    .slice(0, pairsMax)
    .map(([key, inner]) => `${encode(key)}=${encode(inner)}`)
    .join('&')
}

function encode(value: unknown): string {
  return encodeURIComponent(pairText(value))
}

/** Some clients send a header as a list of its values. */
function pairText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => scalarText(item) ?? '').join(', ')
  if (value === undefined || value === null) return ''
  return scalarText(value) ?? JSON.stringify(value)
}

function readPairList(value: unknown, field: string, notes: Notes): Pairs | undefined {
  if (value === undefined || value === null) return undefined
  const pairs = readPairs(value)
  if (pairs === undefined) {
    notes.add(field, 'must be an object or a list of pairs')
    return undefined
  }
  if (pairs.length > pairsMax) notes.add(field, `cut to ${pairsMax} pairs`)
  const read = pairs.slice(0, pairsMax).map(([key, inner]) => onePair(key, inner, field, notes))
  return read.length === 0 ? undefined : read
}

function onePair(key: unknown, value: unknown, field: string, notes: Notes) {
  return [
    fitText(pairText(key), { field, charactersMax: 256, notes }),
    fitText(pairText(value), { field, charactersMax: fieldCharactersMax.headerValue, notes }),
  ] as const
}

/** Parses the text of a `Cookie` header. */
function cookiePairs(text: string, notes: Notes): Pairs | undefined {
  const pairs: (readonly [string, string])[] = []
  for (const part of text.split(';', pairsMax)) {
    const equals = part.indexOf('=')
    const [name, value] =
      equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
    if (name.trim() !== '') pairs.push(onePair(name, value, 'request.cookies', notes))
  }
  return pairs.length === 0 ? undefined : pairs
}

function readData(value: unknown, notes: Notes): JsonValue | undefined {
  if (value === undefined || value === null) return undefined
  const data = boundValue(value, requestDataBounds, { field: 'request.data', notes })
  return data === '' ? undefined : data
}
