/**
 * What a client says about a crash beside its minidump: the form field `sentry` with the JSON of an
 * event (or in pieces, `sentry__1`, `sentry__2`), fields in brackets such as `sentry[tags][a]`, and
 * files in MessagePack, as Crashpad sends them. Other fields become extra data.
 */
import { decode, decodeMulti } from '@msgpack/msgpack'
import { jsonDepthMax, jsonKeysMax, MiB } from '#schemas/limits.ts'
import type { Multipart, UploadedFile } from '../attachments/read-multipart.ts'

type Fields = Record<string, unknown>

const bracketsDepthMax = 10
const extraMax = 100
const extraCharactersMax = 2_000
const packedBytesMax = MiB
const breadcrumbsMax = 100

/** Files that hold the event and are not attachments of their own. */
export const eventFile = '__sentry-event'
export const breadcrumbFiles: ReadonlySet<string> = new Set([
  '__sentry-breadcrumb1',
  '__sentry-breadcrumb2',
  '__sentry-breadcrumbs1',
  '__sentry-breadcrumbs2',
])

export function readSentFields({ fields, files }: Pick<Multipart, 'fields' | 'files'>): Fields {
  const sent: Fields = packedEvent(files)
  const pieces: [number, string][] = []
  const extra: Fields = {}
  let extraCount = 0
  for (const [name, value] of fields) {
    const piece = /^sentry__(\d{1,3})$/.exec(name)
    if (name === 'sentry') Object.assign(sent, jsonObject(value))
    else if (piece !== null) pieces.push([Number(piece[1]), value])
    else if (name.startsWith('sentry[')) setByBrackets(sent, name, value)
    else if (extraCount < extraMax) {
      extraCount += 1
      extra[safeKey(name)] = value.slice(0, extraCharactersMax)
    }
  }
  pieces.sort(([a], [b]) => a - b)
  Object.assign(sent, jsonObject(pieces.map(([, text]) => text).join('')))
  if (extraCount > 0) {
    const own = isObject(sent['extra']) ? sent['extra'] : {}
    sent['extra'] = { ...extra, ...own }
  }
  return sent
}

function jsonObject(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** `sentry[tags][a]` = b. An empty bracket, which means a list, is left out. */
function setByBrackets(target: Fields, name: string, value: string): void {
  const path = name.slice('sentry['.length, -1).split('][')
  if (!name.endsWith(']') || bracketsDepthMax < path.length || path.includes('')) return
  let at = target
  for (const part of path.slice(0, -1)) {
    const key = safeKey(part)
    const next = at[key]
    if (next !== undefined && !isObject(next)) return
    const inner: Fields = next ?? {}
    at[key] = inner
    at = inner
  }
  at[safeKey(path.at(-1) ?? '')] = value
}

function packedEvent(files: readonly UploadedFile[]): Fields {
  const event = files.find(({ name, field }) => name === eventFile || field === eventFile)
  const sent = event === undefined ? {} : unpack(event.content)
  const breadcrumbs = files
    .filter(({ name, field }) => breadcrumbFiles.has(name) || breadcrumbFiles.has(field))
    .flatMap(({ content }) => unpackMany(content))
    .sort((a, b) => String(a['timestamp']).localeCompare(String(b['timestamp']), 'en'))
    .slice(-breadcrumbsMax)
  return breadcrumbs.length === 0 ? sent : { ...sent, breadcrumbs }
}

const limits = {
  maxStrLength: packedBytesMax,
  maxBinLength: packedBytesMax,
  maxExtLength: packedBytesMax,
  maxArrayLength: jsonKeysMax,
  maxMapLength: jsonKeysMax,
} as const

function unpack(content: Buffer): Fields {
  if (packedBytesMax < content.length) return {}
  try {
    const value = plain(decode(content, limits), 0)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function unpackMany(content: Buffer): Fields[] {
  if (packedBytesMax < content.length) return []
  const found: Fields[] = []
  try {
    for (const one of decodeMulti(content, limits)) {
      const value = plain(one, 0)
      if (isObject(value)) found.push(value)
      if (found.length >= breadcrumbsMax) break
    }
  } catch {
    // What could be read until there is kept: the file is a ring that may end within a record.
  }
  return found
}

/** Only what JSON has: no bytes, dates or big numbers. */
function plain(value: unknown, depth: number): unknown {
  if (depth >= jsonDepthMax) return null
  if (Array.isArray(value)) return value.map((one) => plain(one, depth + 1))
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return null
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [safeKey(key), plain(inner, depth + 1)]),
  )
}

/** No name of a client reaches the prototype of an object. */
function safeKey(name: string): string {
  return name === '__proto__' ? '_proto_' : name
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
