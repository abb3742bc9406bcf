/**
 * Orders releases as SDKs name them: `package@version+build`, where only the version is required.
 * Two releases compare when their packages and kinds are equal; otherwise the caller decides by
 * which one was seen first. Precedence of semantic versions follows SemVer 2 §11, except that
 * numeric builds decide between equal versions, because mobile SDKs number their builds.
 */
export type ReleaseKind = 'semver' | 'calver' | 'number' | 'other'

export interface ParsedRelease {
  /** Empty if the release names none. */
  readonly package: string
  readonly kind: ReleaseKind
  /** Numbers without leading zeros and without trailing zero parts, as text of any length. */
  readonly parts: readonly string[]
  /** Identifiers of the pre-release; empty for a final version. */
  readonly preRelease: readonly string[]
  /** Text after `+`. */
  readonly build: string
  /** The text without the package. */
  readonly version: string
}

/** Longer names are not parsed. */
const charactersMax = 500

const packagePattern = /^(@?[^@]+)@(.+)$/
const numbersPattern = /^\d+(?:\.\d+){0,7}/
const finalWords = /^[.-]?(?:final|release|ga)$/i
const preReleasePattern = /^[0-9a-z-]+(?:[._][0-9a-z-]+)*$/i
const buildPattern = /^[0-9a-z-]+(?:[._][0-9a-z-]+)*$/i
const datePattern = /^(\d{4})([-_])(\d{1,2})\2(\d{1,2})(?![\d])/
const compactDatePattern = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?!\d)/
const dottedYearPattern = /^(?:19|20|21)\d\d(?:\.\d|$|[-+])/
/** Revisions of git and hashes of builds, also shortened. */
const revisionPattern = /^(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/i
const decimalHashPattern = /^\d{20,}$/

export function parseRelease(release: string): ParsedRelease {
  const text = release.trim()
  if (text.length > charactersMax) return other('', text)
  const [, packageName = '', version = text] = packagePattern.exec(text) ?? []
  if (revisionPattern.test(version) || decimalHashPattern.test(version)) {
    return other(packageName, version)
  }
  const plus = version.indexOf('+')
  const build = plus === -1 ? '' : version.slice(plus + 1)
  const named = plus === -1 ? version : version.slice(0, plus)
  if (plus !== -1 && !buildPattern.test(build)) return other(packageName, version)
  const hasPrefix = /^v\d/i.test(named)
  const core = hasPrefix ? named.slice(1) : named
  const parsed = parseDate(core) ?? parseNumbers(core, hasPrefix)
  return parsed === undefined
    ? other(packageName, version)
    : { package: packageName, ...parsed, build, version }
}

/** Returns undefined if the releases are not comparable. Equal texts are always equal. */
export function compareReleases(a: string, b: string): -1 | 0 | 1 | undefined {
  return compareParsedReleases(parseRelease(a), parseRelease(b))
}

export function compareParsedReleases(a: ParsedRelease, b: ParsedRelease): -1 | 0 | 1 | undefined {
  if (a.package !== b.package || a.kind !== b.kind) return undefined
  if (a.kind === 'other') return a.version === b.version ? 0 : undefined
  return (
    compareNumbers(a.parts, b.parts) ||
    comparePreReleases(a.preRelease, b.preRelease) ||
    compareNumbers(numbersOf(a.build), numbersOf(b.build))
  )
}

type Core = Pick<ParsedRelease, 'kind' | 'parts' | 'preRelease'>

function other(packageName: string, version: string): ParsedRelease {
  return { package: packageName, kind: 'other', parts: [], preRelease: [], build: '', version }
}

/** `2026-11-03`, `2026_11_03`, `20261103`, with hours and minutes, and a number or pre-release. */
function parseDate(core: string): Core | undefined {
  const dashed = datePattern.exec(core)
  const found = dashed ?? compactDatePattern.exec(core)
  if (found === null) return undefined
  const numbers = dashed === null ? found.slice(1) : [found[1], found[3], found[4]]
  const date = numbers.filter((part) => part !== undefined)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = date.map(Number)
  const isDate = 1900 <= year && year < 2200 && 1 <= month && month <= 12 && 1 <= day && day <= 31
  if (!isDate || hour > 23 || minute > 59 || second > 60) return undefined
  const rest = core.slice(found[0].length)
  const sequence = /^[-._](\d+(?:\.\d+){0,3})(?=$|[-._a-z])/i.exec(rest)
  const more = sequence?.[1]?.split('.') ?? []
  const preRelease = parsePreRelease(rest.slice(sequence?.[0].length ?? 0))
  if (preRelease === undefined) return undefined
  // A time of day takes three places, so that further numbers never meet it.
  const time = [...date.slice(3), ...zeros].slice(0, 3)
  return { kind: 'calver', parts: trimmed([...date.slice(0, 3), ...time, ...more]), preRelease }
}

const zeros = ['0', '0', '0']

function parseNumbers(core: string, hasPrefix: boolean): Core | undefined {
  const numbers = numbersPattern.exec(core)?.[0]
  if (numbers === undefined) return undefined
  const parts = numbers.split('.')
  const rest = core.slice(numbers.length)
  if (parts.length === 1 && rest === '' && !hasPrefix && !dottedYearPattern.test(core)) {
    return { kind: 'number', parts: trimmedNumber(numbers), preRelease: [] }
  }
  // `1rc1` is no version: a single number needs a dash.
  if (parts.length === 1 && rest !== '' && !rest.startsWith('-')) return undefined
  const isYear = dottedYearPattern.test(core)
  // After a date, `-2` is the second release of it and no pre-release.
  const sequence = isYear ? /^-(\d+)(?=$|-)/.exec(rest) : null
  const preRelease = parsePreRelease(rest.slice(sequence?.[0].length ?? 0))
  if (preRelease === undefined) return undefined
  if (!isYear) return { kind: 'semver', parts: trimmed(parts), preRelease }
  const date = [...parts.slice(0, 3), ...zeros].slice(0, 3)
  const more = [...parts.slice(3), ...(sequence === null ? [] : [sequence[1] ?? '0'])]
  return { kind: 'calver', parts: trimmed([...date, ...zeros, ...more]), preRelease }
}

/** `-rc.1`, and `rc1` and `.dev1` without a dash, whose letters and digits are identifiers. */
function parsePreRelease(rest: string): string[] | undefined {
  if (rest === '' || finalWords.test(rest)) return []
  const isDashed = rest.startsWith('-')
  const text = isDashed ? rest.slice(1) : rest.replace(/^[._]/, '')
  if (!preReleasePattern.test(text)) return undefined
  if (isDashed) return text.split('.')
  return /^[a-z]/i.test(text) ? (text.match(/\d+|[a-z-]+/gi) ?? undefined) : undefined
}

/** Trailing zeros mean nothing: 1.2 is 1.2.0. */
function trimmed(parts: readonly string[]): string[] {
  const numbers = parts.map((part) => part.replace(/^0+(?=\d)/, ''))
  while (numbers.at(-1) === '0') numbers.pop()
  return numbers
}

function trimmedNumber(digits: string): string[] {
  return trimmed([digits])
}

/** The numbers of a build; a build that is none, like a hash, counts as no build. */
function numbersOf(build: string): readonly string[] {
  return /^\d+(?:\.\d+)*$/.test(build) && build.length < 20
    ? ['1', ...trimmed(build.split('.'))]
    : []
}

function compareNumbers(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const order = compareDigits(a[index] ?? '0', b[index] ?? '0')
    if (order !== 0) return order
  }
  return 0
}

/** Of any length, without leading zeros. */
function compareDigits(a: string, b: string): -1 | 0 | 1 {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return orderOf(a, b)
}

function comparePreReleases(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) {
    if (a.length === b.length) return 0
    return a.length === 0 ? 1 : -1
  }
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = compareIdentifiers(a[index] ?? '', b[index] ?? '')
    if (order !== 0) return order
  }
  if (a.length === b.length) return 0
  return a.length < b.length ? -1 : 1
}

const digits = /^\d+$/

function compareIdentifiers(a: string, b: string): -1 | 0 | 1 {
  const isNumber = digits.test(a)
  if (isNumber !== digits.test(b)) return isNumber ? -1 : 1
  return isNumber ? compareDigits(withoutZeros(a), withoutZeros(b)) : orderOf(a, b)
}

function withoutZeros(number: string): string {
  return number.replace(/^0+(?=\d)/, '')
}

function orderOf(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0
  return a < b ? -1 : 1
}
