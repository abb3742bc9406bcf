/**
 * Replaces the variable parts of a message (ids, addresses, times, numbers) by the name of their
 * kind, so that `order 17 lost` and `order 42 lost` are one issue. Quoted words are kept, because
 * they often name the subject.
 *
 * One pass over at most 2,048 characters. Every alternative starts at the start of a word and
 * repeats only what is bounded or cannot overlap with what follows, so the time is linear in the
 * length of any text. Part of g1, data included: frozen once shipped, a change is g2.
 */
import { cutText } from './cut-text.ts'
import { recentTexts } from './recent-texts.ts'

export const parameterizedUnitsMax = 2048

const cacheEntriesMax = 2048
/** Longer texts are not cached, because they take too much memory. */
export const cachedUnitsMax = 512
const cache = recentTexts(cacheEntriesMax)

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
  /[0-9@]|:\/\/|=["'tfTF]|\.[a-z]|[0-9a-fA-F]{8}|:[0-9a-fA-F]{1,4}:|[0-9a-fA-F]{2}-[0-9a-fA-F]{2}-/

// biome-ignore format: read by eye, by frequency
const topLevelDomains = [
  'com', 'org', 'net', 'edu', 'gov', 'mil', 'biz', 'co', 'io', 'ai', 'dev', 'cloud', 'tech', 'shop', 'xyz', 'agency', 'systems', 'digital',
  'uk', 'ca', 'au', 'nz', 'de', 'fr', 'es', 'pt', 'nl', 'be', 'ch', 'at', 'cz', 'sk', 'hu', 'ro', 'bg', 'gr', 'se', 'no', 'fi', 'dk', 'ie', 'lt', 'lv', 'ee', 'eu',
  'ru', 'ua', 'kz', 'tr', 'il', 'ae', 'sa', 'za', 'ng', 'ke', 'eg', 'cn', 'jp', 'kr', 'tw', 'hk', 'sg', 'th', 'vn', 'au', 'br', 'mx', 'ar', 'cl', 'pe',
  'asia', 'local', 'localdomain', 'internal', 'lan', 'arpa',
]

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}'
const clock = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?'
const zone =
  '(?:(?:GMT|UTC)(?:[+-]\\d{4})?|UT|[ECMP][SD]T|CES?T|BST|MSK|IST|JST|Z|[+-]\\d{2}:?\\d{2})'
const date = [
  `\\d{4}-\\d{2}-\\d{2}(?:[T ]${clock}(?: ?${zone})?)?`,
  `(?:${day},? )?\\d{1,2}[ -]${month}[ -]\\d{2,4}(?: ${clock}(?: ${zone})?)?`,
  `(?:${day} )?${month} {1,2}\\d{1,2} (?:\\d{4} )?${clock}(?: ${zone})?(?: \\([A-Za-z ]{1,40}\\))?(?: \\d{4})?`,
  '\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?',
  '\\d{1,2}:\\d{2} ?[AP]M',
].join('|')

const hexGroup = '[0-9a-fA-F]{1,4}'
const ip = [
  '(?:\\d{1,3}\\.){3}\\d{1,3}',
  // Without a digit it is more likely `Class::method`.
  `(?=[0-9a-fA-F:]{0,38}\\d)(?:(?:${hexGroup}:){7}${hexGroup}|(?:${hexGroup}:){1,6}(?::${hexGroup}){1,6}|(?:${hexGroup}:){1,7}:(?=[\\s/\\]),;]|$)|(?<![^\\s[(=,/"'])::(?:${hexGroup}:){0,6}${hexGroup})`,
].join('|')

const wordStart = '(?<![A-Za-z0-9])'
const wordEnd = '(?![A-Za-z0-9])'
// Names are matched from their first part only; trying each part would take quadratic time.
const nameStart = '(?<![._%+-])'

/** Tried in this order at each place. */
const kinds: readonly (readonly [name: string, pattern: string])[] = [
  [
    'email',
    `${nameStart}[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}${wordEnd}`,
  ],
  ['url', '[A-Za-z][A-Za-z0-9+.-]{0,19}://[^\\s"\']+'],
  [
    'hostname',
    `${nameStart}(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\\.){1,8}(?:${topLevelDomains.join('|')})(?![A-Za-z0-9_-]|\\.[A-Za-z0-9<])`,
  ],
  [
    'traceparent',
    `(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|1-[0-9a-f]{8}-[0-9a-f]{24})${wordEnd}`,
  ],
  ['uuid', `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}${wordEnd}`],
  ['sha1', `[0-9a-fA-F]{40}${wordEnd}`],
  ['md5', `[0-9a-fA-F]{32}${wordEnd}`],
  ['date', `(?:${date})${wordEnd}`],
  [
    'duration',
    `\\d+(?:\\.\\d+)?(?: ?(?:ns|us|µs|ms|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?)|[smhd])${wordEnd}`,
  ],
  [
    'mac',
    `(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}${wordEnd}|(?:[0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2}${wordEnd}`,
  ],
  ['ip', `(?:${ip})${wordEnd}`],
  ['swift_txn_id', `tx[0-9a-f]{21}-[0-9a-f]{10}(?:-[a-z0-9]{1,40})?${wordEnd}`],
  // Digits alone are a number: the kind of an id must not change with its eighth digit.
  [
    'hex',
    `(?:0[xX][0-9a-fA-F]{1,128}|(?=[a-f]{0,127}[0-9])(?=[0-9]{0,127}[a-f])[0-9a-f]{8,128}|(?=[A-F]{0,127}[0-9])(?=[0-9]{0,127}[A-F])[0-9A-F]{8,128})${wordEnd}`,
  ],
  ['git_sha', `(?=[a-f]{0,6}[0-9])(?=[0-9]{0,6}[a-f])[0-9a-f]{7}${wordEnd}`],
  [
    'random_id',
    `(?=(?:[A-Za-z]{0,127}[0-9]){3})(?=[A-Z0-9]{0,127}[a-z])(?=[a-z0-9]{0,127}[A-Z])[A-Za-z0-9]{20,128}${wordEnd}`,
  ],
  ['float', `[-+]?\\d+(?:\\.\\d+(?:[eE][-+]?\\d+)?|[eE][-+]?\\d+)${wordEnd}`],
  ['int', `-?\\d+${wordEnd}`],
  ['quoted_str', '(?<==)(?:"[^"\\n]*"|\'[^\'\\n]*\')'],
  ['bool', `(?<==)(?:true|false|True|False)${wordEnd}`],
]

const variablePart = new RegExp(
  `${wordStart}(?:${kinds.map(([, pattern]) => `(${pattern})`).join('|')})`,
  'g',
)

/** Like `parameterize` without the cache; adds the number of replacements per kind to `counts`. */
export function parameterizeUncached(raw: string, counts: Map<string, number> | undefined): string {
  const text = cutText(raw, parameterizedUnitsMax)
  if (!prefilter.test(text)) return text

  let out = ''
  let copied = 0
  variablePart.lastIndex = 0
  for (let match = variablePart.exec(text); match !== null; match = variablePart.exec(text)) {
    const kind = kindOf(match)
    if (counts) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    out += `${text.slice(copied, match.index)}<${kind}>`
    copied = match.index + match[0].length
  }
  return copied === 0 ? text : out + text.slice(copied)
}

function kindOf(match: RegExpExecArray): string {
  for (let index = 0; index < kinds.length; index++) {
    if (match[index + 1] !== undefined) return kinds[index]![0]
  }
  return ''
}
