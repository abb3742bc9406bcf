/**
 * What a variable part of a message looks like. One alternation, tried at the start of each word;
 * every alternative repeats only what is bounded or cannot overlap with what follows. Part of g1,
 * data included.
 */
// cspell:ignore bcdfghjklmnpqrstvwxz KMGTP ytes

import { datePattern, durationPattern } from './date-pattern.ts'
import { errorCodePattern } from './error-codes.ts'

// biome-ignore format: read by eye, by frequency
const topLevelDomains = [
  'com', 'org', 'net', 'edu', 'gov', 'mil', 'biz', 'co', 'io', 'ai', 'dev', 'cloud', 'tech', 'shop', 'xyz', 'agency', 'systems', 'digital',
  'uk', 'ca', 'au', 'nz', 'de', 'fr', 'es', 'pt', 'nl', 'be', 'ch', 'at', 'cz', 'sk', 'hu', 'ro', 'bg', 'gr', 'se', 'no', 'fi', 'dk', 'ie', 'lt', 'lv', 'ee', 'eu',
  'ru', 'ua', 'kz', 'tr', 'il', 'ae', 'sa', 'za', 'ng', 'ke', 'eg', 'cn', 'jp', 'kr', 'tw', 'hk', 'sg', 'th', 'vn', 'au', 'br', 'mx', 'ar', 'cl', 'pe',
  'asia', 'local', 'localdomain', 'internal', 'lan', 'arpa',
]

const wordStart = '(?<![A-Za-z0-9])'
const wordEnd = '(?![A-Za-z0-9])'
// Names are matched from their first part only; trying each part would take quadratic time.
const nameStart = '(?<![._%+-])'
// A dash after what was replaced joins two parts.
const sign = '(?:(?<!>)[-+])?'
const pathStart = '(?<![A-Za-z0-9._~>*?)\\]}/\\\\=-])'

const v4 = '(?:\\d{1,3}\\.){3}\\d{1,3}'
const hexGroup = '[0-9a-fA-F]{1,4}'
const ip = [
  // An IPv4 address written as IPv6: `::ffff:10.0.0.1`
  `(?:${hexGroup}:){0,6}:{0,2}[fF]{4}:(?:0:)?${v4}`,
  // Without a digit it is more likely `Class::method`.
  `(?=[0-9a-fA-F:]{0,38}\\d)(?:(?:${hexGroup}:){7}${hexGroup}|(?:${hexGroup}:){1,6}(?::${hexGroup}){1,6}|(?:${hexGroup}:){1,7}:(?=[\\s/\\]),;]|$)|(?<![^\\s[(=,/"'])::(?:${hexGroup}:){0,6}${hexGroup})(?:%[a-z0-9]{1,15})?`,
  v4,
].join('|')

/** Characters that Kubernetes uses in generated names. */
const podCharacters = '[bcdfghjklmnpqrstvwxz2456789]'

/**
 * A node of a managed cluster ends in the hash of its pool and four characters of its own.
 */
const nodeName =
  '(?=[0-9]{0,7}[a-f])(?=[a-f]{0,7}[0-9])[0-9a-f]{8}-(?=[a-z]{0,3}[0-9])(?=[0-9]{0,3}[a-z])[a-z0-9]{4}'

/**
 * Matches that are decided by code: `code` is kept, of `arn` only the region is replaced, `path`
 * and `word` are looked at further.
 */
export const decidedKinds = {
  code: 'code',
  arn: 'arn',
  joined: 'joined',
  absolute: 'absolute',
  relative: 'relative',
  word: 'word',
}

/** Tried in this order at each place. */
export const kinds: readonly (readonly [name: string, pattern: string])[] = [
  [decidedKinds.code, errorCodePattern],
  [
    'email',
    `${nameStart}[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}${wordEnd}`,
  ],
  [
    decidedKinds.arn,
    'arn:aws(?:-[a-z]{2,5}){0,3}:[a-z0-9-]{1,40}:[a-z]{2}(?:-[a-z]{2,10}){1,3}-\\d{1,2}(?=:)',
  ],
  ['url', '[A-Za-z][A-Za-z0-9+.-]{0,19}://[^\\s"\'<>]+'],
  ['token', 'eyJ[A-Za-z0-9_-]{8,900}(?:\\.[A-Za-z0-9_-]{2,900}){1,2}'],
  [
    'hostname',
    `${nameStart}(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\\.){1,8}(?:${topLevelDomains.join('|')})(?![A-Za-z0-9_-]|\\.[A-Za-z0-9<])`,
  ],
  [
    'traceparent',
    `(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|1-[0-9a-f]{8}-[0-9a-f]{24})${wordEnd}`,
  ],
  ['uuid', `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}${wordEnd}`],
  ['date', datePattern],
  ['duration', `(?:${durationPattern})${wordEnd}`],
  ['size', `\\d+(?:\\.\\d+)? ?(?:[kKMGTP]i?[Bb]|[Bb]ytes?|B)${wordEnd}`],
  [
    'mac',
    `(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}${wordEnd}|(?:[0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2}${wordEnd}`,
  ],
  ['ip', `(?:${ip})${wordEnd}`],
  // The hash of the replica set and the pod, or the pod of a daemon set; `_namespace(uid)` may
  // follow.
  [
    'pod',
    `(?<=[a-z0-9]-)(?:${nodeName}|(?=[a-z0-9-]{0,14}\\d)(?:${podCharacters}{8,10}|\\d{8,10})-${podCharacters}{5}|(?=[a-z]{1,4}\\d{1,3}[a-z]|\\d{1,3}[a-z]{1,3}\\d|\\d{1,2}[a-z]{3,4}(?![a-z0-9]))${podCharacters}{5})(?![A-Za-z0-9-]|_(?![a-z0-9-]{1,63}\\())`,
  ],
  [
    decidedKinds.absolute,
    `${pathStart}(?:(?:~|\\.{1,2})?/[^\\s"'<>|*?;,()[\\]{}\`:\\\\]{1,512}|[A-Za-z]:[\\\\/](?:[^\\\\/:*?"'<>|\\r\\n]{1,128}\\\\|[^\\\\/:*?"'<>|\\s]{1,128}/){0,16}[^\\\\/:*?"'<>|\\s,;)]{0,128}|\\\\\\\\[A-Za-z0-9._$-]{1,64}\\\\[^:*?"'<>|\\s,;)]{1,256})`,
  ],
  [
    decidedKinds.relative,
    `${pathStart}[A-Za-z0-9_][A-Za-z0-9._@%+=~-]{0,127}(?:/[A-Za-z0-9._@%+=~-]{1,128}){1,12}`,
  ],
  [decidedKinds.joined, '(?<![A-Za-z0-9_>-])(?![a-z]{2,10}_)[A-Za-z0-9_-]{21}(?![A-Za-z0-9_<-])'],
  ['swift_txn_id', `tx[0-9a-f]{21}-[0-9a-f]{10}(?:-[a-z0-9]{1,40})?${wordEnd}`],
  ['hex', `0[xX][0-9a-fA-F]{1,128}${wordEnd}`],
  ['version', `[vV]?\\d{1,6}(?:\\.\\d{1,6}){2,3}(?:[-+][A-Za-z][0-9A-Za-z.-]{0,40})?${wordEnd}`],
  ['phone', `\\+\\d{1,3}[ -]?\\(?\\d{2,5}\\)?(?:[ -]?\\d{2,5}){1,5}${wordEnd}(?!\\.\\d)`],
  [
    'number',
    `${sign}\\d{1,3}(?:,\\d{3}){1,9}(?:\\.\\d+)?${wordEnd}|${sign}\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?(?:st|nd|rd|th|px|[kKMx])?${wordEnd}|\\d{1,5}x\\d{1,5}${wordEnd}`,
  ],
  [decidedKinds.word, '(?=[A-Za-z]{0,64}\\d)[A-Za-z0-9]{4,128}(?![A-Za-z0-9])'],
  ['quoted_str', '(?<==)(?:"[^"\\n]{0,512}"|\'[^\'\\n]{0,512}\')'],
  ['bool', `(?<==)(?:true|false|True|False)${wordEnd}`],
]

const composed = new Set([decidedKinds.joined, decidedKinds.absolute, decidedKinds.relative])
const query = '(?<=[A-Za-z0-9_/ -])\\?[A-Za-z_][A-Za-z0-9_.[\\]-]{0,64}=[^\\s"\'<>]*'

/** The groups are the kinds in order; the query of an address comes last. */
export const variablePart = new RegExp(
  `${wordStart}(?:${kinds.map(([, pattern]) => `(${pattern})`).join('|')})|(${query})`,
  'g',
)
/** For a place at which something looked like a path or an id of several parts and is none. */
export const variableSimple = new RegExp(
  `${wordStart}(?:${kinds.map(([name, pattern]) => (composed.has(name) ? '((?!))' : `(${pattern})`)).join('|')})|(${query})`,
  'y',
)
