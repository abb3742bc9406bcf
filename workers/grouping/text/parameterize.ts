/**
 * Replaces the variable parts of a message (ids, addresses, paths, times, numbers) by the name of
 * their kind, so that `order 17 lost` and `order 42 lost` are one issue. Error codes are kept, and
 * quoted words too unless they are data, because they say what went wrong.
 *
 * Reads at most 2,048 characters, and takes linear time for any text. Part of g1, data included: a
 * change of any hash must be meant; the recorded corpus shows it.
 */
import { cutText } from './cut-text.ts'
import { endOfDate } from './date-pattern.ts'
import { absolutePathKind, nameStart, relativePathKind } from './file-path.ts'
import { idKindOf, isNanoId } from './id-words.ts'
import { replaceJsonBodies } from './json-bodies.ts'
import { replaceQuotedData } from './quoted-data.ts'
import { recentTexts } from './recent-texts.ts'
import { replaceSqlLiterals } from './sql-literals.ts'
import { decidedKinds, kinds, variablePart, variableSimple } from './variable-kinds.ts'

export const parameterizedUnitsMax = 2048

const cacheEntriesMax = 2048
/** Longer texts are not cached, because they take too much memory. */
export const cachedUnitsMax = 512
const cache = recentTexts(cacheEntriesMax)

type Counts = Map<string, number> | undefined

/**
 * Caches results, because messages repeat. Not for slices of a longer text, which the cache would
 * retain.
 */
export function parameterize(text: string): string {
  if (text.length > cachedUnitsMax) return parameterizeUncached(text, undefined)
  const known = cache.get(text)
  if (known !== undefined) return known
  const result = parameterizeUncached(text, undefined)
  cache.set(text, result)
  return result
}

/** Nothing is replaced in a text without any of these; the prefilter must never change a result. */
const prefilter =
  /[0-9@/\\]|=["'tfTF]|\.[a-z]|[0-9a-fA-F]{2}-[0-9a-fA-F]{2}-|[0-9a-fA-F]{2}:[0-9a-fA-F]{2}:|eyJ|\?[A-Za-z_]/
const quotes = /["'“‘]/
const sqlWords = /savepoint|select|insert|update|delete|merge/i

/** Like `parameterize` without the cache; adds the number of replacements per kind to `counts`. */
export function parameterizeUncached(raw: string, counts: Counts): string {
  let text = cutText(raw, parameterizedUnitsMax)
  const onReplace = (kind: string) => counts?.set(kind, (counts.get(kind) ?? 0) + 1)
  if (text.includes('{')) text = replaceJsonBodies(text, () => onReplace('json'))
  if (sqlWords.test(text)) text = replaceSqlLiterals(text, onReplace)
  if (quotes.test(text) || text.includes(')=(')) text = replaceQuotedData(text, onReplace)
  return prefilter.test(text) ? replaceVariables(text, onReplace) : text
}

interface Found {
  readonly start: number
  readonly end: number
  readonly kind: string
}

function replaceVariables(text: string, onReplace: (kind: string) => void): string {
  let out = ''
  let copied = 0
  let last: Found | undefined
  variablePart.lastIndex = 0
  for (let match = variablePart.exec(text); match !== null; match = variablePart.exec(text)) {
    const found = decide(text, match)
    variablePart.lastIndex = found.end
    if (found.kind === '') continue
    onReplace(found.kind)
    const { start, end, kind } = found
    // One id and a list of ids are the same message.
    const isListed = last?.kind === kind && isComma(text.slice(last.end, start))
    last = found
    if (!isListed) out += `${text.slice(copied, start)}<${kind}>`
    copied = end
  }
  return copied === 0 ? text : out + text.slice(copied)
}

function isComma(gap: string): boolean {
  return gap === ', ' || gap === ','
}

/** The part to replace, or with an empty kind the part to keep. */
function decide(text: string, match: RegExpExecArray): Found {
  const start = match.index
  const end = start + match[0].length
  const kind = kindOf(match)
  switch (kind) {
    case decidedKinds.code:
      return { start, end, kind: '' }
    case decidedKinds.arn:
      return { start: start + match[0].lastIndexOf(':') + 1, end, kind: 'region' }
    case decidedKinds.word:
      return { start, end, kind: idKindOf(match[0], text[start - 1] ?? '') }
    case decidedKinds.joined:
      return isNanoId(match[0]) ? { start, end, kind: 'id' } : decideOther(text, start, 1)
    case 'url':
      return { start, end: endOfSentence(text, start, end), kind }
    case 'date':
      return { start, end: endOfDate(text, end), kind }
    case 'query':
      return { start: start + 1, end: endOfSentence(text, start + 2, end), kind }
    case 'hostname':
      return hostnameOrUrl(text, start, end)
    case decidedKinds.absolute:
    case decidedKinds.relative:
      return decidePath(text, match[0], start, kind)
    default:
      return { start, end, kind }
  }
}

/** Punctuation at the end belongs to the sentence, not to the address. */
function endOfSentence(text: string, start: number, from: number): number {
  let end = from
  while (end > start && '.,:;!?)]}'.includes(text[end - 1]!)) end--
  return end
}

const restOfUrl = /(?::\d{1,5})?\/[^\s"'<>]*/y

function hostnameOrUrl(text: string, start: number, end: number): Found {
  restOfUrl.lastIndex = end
  return restOfUrl.test(text)
    ? { start, end: endOfSentence(text, end, restOfUrl.lastIndex), kind: 'url' }
    : { start, end, kind: 'hostname' }
}

function decidePath(text: string, matched: string, start: number, how: string): Found {
  // What ends a sentence does not belong to the path.
  const path = matched.replace(/[.,:\\]{1,3}$/, '')
  const isAbsolute = how === decidedKinds.absolute
  // A part that was replaced already ends the path, so its extension is unknown.
  const isCut = '</'.includes(text[start + matched.length] ?? ' ')
  const kind = isAbsolute ? absolutePathKind(path, isCut) : relativePathKind(path, isCut)
  if (kind === 'whole') return { start, end: endOfQuotedPath(text, start, path), kind: 'path' }
  if (kind === 'folder') return { start, end: start + nameStart(path), kind: 'path' }
  return decideOther(text, start, isAbsolute ? 1 : endOfWord(path))
}

/** For what looked like a path or an id of several parts and is none: its first part alone. */
function decideOther(text: string, start: number, keptUnits: number): Found {
  variableSimple.lastIndex = start
  const other = variableSimple.exec(text)
  return other === null ? { start, end: start + keptUnits, kind: '' } : decide(text, other)
}

/** Within quotes, a path may contain blanks. */
function endOfQuotedPath(text: string, start: number, path: string): number {
  const end = start + path.length
  const quote = text[start - 1]
  if ((quote !== '"' && quote !== "'") || text[end] !== ' ') return end
  const close = text.indexOf(quote, end)
  return close === -1 || close - start > 512 || text.slice(end, close).includes('\n') ? end : close
}

function endOfWord(path: string): number {
  let end = 0
  while (end < path.length && /[A-Za-z0-9]/.test(path[end]!)) end++
  return Math.max(end, 1)
}

function kindOf(match: RegExpExecArray): string {
  for (let index = 0; index < kinds.length; index++) {
    if (match[index + 1] !== undefined) return kinds[index]![0]
  }
  return 'query'
}
