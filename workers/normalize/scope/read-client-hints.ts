/**
 * What the headers `Sec-CH-UA…` of a request say about browser, operating system and device.
 * Browsers made of Chromium keep only the number of their release in `User-Agent`, and name every
 * Windows 10 and every macOS 10.15.7 there; a server that asks for it learns the truth from these
 * headers. The names are those that `User-Agent` gives (read-user-agent.ts), so that one browser is
 * one name. A header that is not of the form of the standard says nothing.
 */
import {
  brandOf,
  browserNames,
  mobileNames,
  type NameAndVersion,
  shortVersion,
  type UserAgent,
} from './read-user-agent.ts'

type Headers = readonly (readonly [name: string, value: string])[]

const prefix = 'sec-ch-ua'
/** Of a longer text only the beginning is read. */
const hintCharactersMax = 500
const brandsMax = 10
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N} ._+&-]{0,59}$/u
const versionForm = /^\d[\d.]{0,39}$/

/** The facts of `User-Agent`, replaced by those that the headers know better. */
export function withClientHints(known: UserAgent, headers: Headers): UserAgent {
  const hints = hintsIn(headers)
  if (hints === undefined) return known
  return {
    browser: browserOf(hints, known.browser),
    os: systemOf(hints, known.os),
    device: deviceOf(hints) ?? known.device,
  }
}

/** By what follows `sec-ch-ua` in the name of the header. */
type Hints = ReadonlyMap<string, string>

function hintsIn(headers: Headers): Hints | undefined {
  let hints: Map<string, string> | undefined
  for (const [name, value] of headers) {
    // Most headers are shorter, or begin with another character.
    if (name.length < prefix.length || (name[0] !== 'S' && name[0] !== 's')) continue
    const lower = name.toLowerCase()
    if (!lower.startsWith(prefix)) continue
    hints ??= new Map()
    const hint = lower.slice(prefix.length)
    if (!hints.has(hint)) hints.set(hint, value.slice(0, hintCharactersMax))
  }
  return hints
}

/** Names in the headers that `User-Agent` writes otherwise. */
const brandNames: ReadonlyMap<string, string> = new Map([
  ...browserNames,
  ['Google Chrome', 'Chrome'],
  ['Android WebView', 'Chrome Mobile WebView'],
  ['Opera Mobile', 'Opera Mobile'],
])

function browserOf(hints: Hints, known: NameAndVersion | undefined): NameAndVersion | undefined {
  const full = brandIn(hints.get('-full-version-list'))
  const brand = full ?? brandIn(hints.get(''))
  if (brand === undefined) return known
  // The engine alone says less than the name of a program that is made with it.
  if (brand.name === 'Chromium' && known !== undefined) return known
  const base = brandNames.get(brand.name) ?? brand.name
  const mobile = mobileNames.get(base) ?? base
  const isKnown = known?.name === base || known?.name === mobile
  if (known !== undefined && isKnown) {
    return full === undefined ? known : { ...known, version: shortVersion(brand.version) }
  }
  const name = hints.get('-mobile')?.trim() === '?1' ? mobile : base
  return { name, version: shortVersion(brand.version) }
}

/** The first brand that is neither the engine nor made up to keep servers from relying on it. */
function brandIn(text: string | undefined): NameAndVersion | undefined {
  let engine: NameAndVersion | undefined
  for (const brand of brandsIn(text ?? '')) {
    const words = brand.name
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.join(' ')
    if (words === 'not a brand' || !nameForm.test(brand.name)) continue
    if (brand.name !== 'Chromium') return brand
    engine = brand
  }
  return engine
}

/** `"Chromium";v="126.0.6478.126", "Not/A)Brand";v="8.0.0.0"` */
function brandsIn(text: string): NameAndVersion[] {
  const brands: NameAndVersion[] = []
  for (const member of text.matchAll(/"([^"\\]{1,80})"\s{0,3};\s{0,3}v="([^"]{1,40})"/g)) {
    const [, name = '', version = ''] = member
    if (versionForm.test(version)) brands.push({ name: name.trim(), version })
    if (brands.length >= brandsMax) break
  }
  return brands
}

/** A text in quotes. Undefined if it is empty, or of another form. */
function quoted(hint: string | undefined): string | undefined {
  const text = /^\s{0,9}"([^"\\]{1,60})"\s{0,9}$/.exec(hint ?? '')?.[1]?.trim()
  return text === undefined || text === '' ? undefined : text
}

const systemNames: ReadonlyMap<string, string> = new Map([
  ['Windows', 'Windows'],
  ['macOS', 'macOS'],
  ['Mac OS X', 'macOS'],
  ['Android', 'Android'],
  ['iOS', 'iOS'],
  ['Linux', 'Linux'],
  ['Chrome OS', 'Chrome OS'],
  ['Chromium OS', 'Chrome OS'],
])

function systemOf(hints: Hints, known: NameAndVersion | undefined): NameAndVersion | undefined {
  const name = systemNames.get(quoted(hints.get('-platform')) ?? '')
  if (name === undefined) return known
  const text = quoted(hints.get('-platform-version'))
  const version = text !== undefined && versionForm.test(text) ? text : undefined
  // A browser that does not tell the version sends 0 for it.
  const told = version === undefined || /^[0.]+$/.test(version) ? undefined : version
  const hinted = told === undefined ? undefined : systemVersion(name, told)
  return { name, version: hinted ?? (known?.name === name ? known.version : undefined) }
}

function systemVersion(name: string, version: string): string | undefined {
  if (name === 'Windows') return windowsRelease(version)
  // 14.0.0 is the 14 of `User-Agent`.
  return shortVersion(version.replace(/(?:\.0{1,9}){1,9}$/, ''))
}

/** Windows sends the version of an interface. 13 is the first one of Windows 11. */
function windowsRelease(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major === 0) return ['', '7', '8', '8.1'][minor] || undefined
  return major >= 13 ? '11' : '10'
}

function deviceOf(hints: Hints): UserAgent['device'] {
  const model = quoted(hints.get('-model'))
  if (model === undefined || !/^[\p{L}\p{N}][\p{L}\p{N} ._()+/-]{0,59}$/u.test(model)) {
    return undefined
  }
  return { family: model, model, brand: brandOf(model) }
}
