/**
 * What the text of a `User-Agent` header says about browser, operating system and device, under the
 * names that Sentry's server gives them, so that searches and saved queries keep their meaning. A
 * fact that the text does not tell is absent.
 */
import Bowser from 'bowser'

export interface UserAgent {
  readonly browser: NameAndVersion | undefined
  readonly os: NameAndVersion | undefined
  readonly device: Device | undefined
}

export interface NameAndVersion {
  readonly name: string
  readonly version: string | undefined
}

export interface Device {
  readonly family: string
  readonly model: string | undefined
  readonly brand: string | undefined
}

/** Of a longer text only the beginning is read; no browser sends so much. */
export const userAgentCharactersMax = 500
/** Characters of the texts that one thread remembers. */
const rememberedCharactersMax = 1_000_000
/** Charged for each text in addition to its characters: the result, and the entry of the map. */
const entryCharacters = 300

const remembered = new Map<string, UserAgent>()
let rememberedCharacters = 0

export function readUserAgent(text: string): UserAgent {
  const read = text.slice(0, userAgentCharactersMax)
  const known = remembered.get(read)
  if (known !== undefined) return known
  const userAgent = parse(read)
  const characters = read.length + entryCharacters
  if (rememberedCharacters + characters > rememberedCharactersMax) {
    remembered.clear()
    rememberedCharacters = 0
  }
  remembered.set(read, userAgent)
  rememberedCharacters += characters
  return userAgent
}

/** Programs whose first word says all; their texts name neither a system nor a device. */
const clients: ReadonlyMap<string, string> = new Map(
  [
    ...['curl', 'Wget', 'okhttp', 'axios', 'node-fetch', 'got', 'undici', 'Go-http-client'],
    ...[
      'PostmanRuntime',
      'Apache-HttpClient',
      'Java',
      'GuzzleHttp',
      'Faraday',
      'aiohttp',
      'insomnia',
    ],
  ].map((name) => [name.toLowerCase(), name] as const),
)
  .set('python-requests', 'Python Requests')
  .set('python-urllib', 'Python-urllib')
  .set('python-httpx', 'Python HTTPX')

const clientForm = /^([A-Za-z][A-Za-z-]{2,30})\/(\d[\w.]{0,20})/

/** Names of the parser that Sentry writes otherwise. */
export const browserNames: ReadonlyMap<string, string> = new Map([
  ['Microsoft Edge', 'Edge'],
  ['Internet Explorer', 'IE'],
  ['Samsung Internet for Android', 'Samsung Internet'],
  ['Opera Touch', 'Opera Mobile'],
])
export const mobileNames: ReadonlyMap<string, string> = new Map([
  ['Chrome', 'Chrome Mobile'],
  ['Firefox', 'Firefox Mobile'],
  ['Safari', 'Mobile Safari'],
  ['Edge', 'Edge Mobile'],
  ['Opera', 'Opera Mobile'],
])
const knownBrowsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP))
const knownSystems: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP))

function parse(text: string): UserAgent {
  const client = clientForm.exec(text)
  const clientName = clients.get(client?.[1]?.toLowerCase() ?? '')
  if (clientName !== undefined) {
    const browser = { name: clientName, version: shortVersion(client?.[2]) }
    return { browser, os: undefined, device: undefined }
  }
  const { browser, os, platform } = Bowser.parse(text === '' ? ' ' : text)
  return {
    browser: browserOf(browser, platform, text),
    os: systemOf(os),
    device: deviceOf(platform, text),
  }
}

type Parsed = ReturnType<typeof Bowser.parse>

function browserOf(
  { name, version }: Parsed['browser'],
  { type }: Parsed['platform'],
  text: string,
): NameAndVersion | undefined {
  // The parser makes up a name of the first words when it knows none.
  if (name === undefined || !knownBrowsers.has(name)) return undefined
  const base = browserNames.get(name) ?? name
  return { name: variantOf(base, type, text), version: shortVersion(version) }
}

function variantOf(base: string, type: string | undefined, text: string): string {
  if (base === 'Chrome' && text.includes('HeadlessChrome')) return 'HeadlessChrome'
  if (base === 'Chrome' && text.includes('; wv)')) return 'Chrome Mobile WebView'
  if (type !== 'mobile' && type !== 'tablet') return base
  if (base === 'Chrome' && text.includes('CriOS/')) return 'Chrome Mobile iOS'
  if (base === 'Firefox' && text.includes('FxiOS/')) return 'Firefox iOS'
  return mobileNames.get(base) ?? base
}

function systemOf({ name, version, versionName }: Parsed['os']): NameAndVersion | undefined {
  if (name === undefined || !knownSystems.has(name)) return undefined
  // Windows is known by the name of its release, `10`, and not by the number of its kernel.
  return { name, version: shortVersion(name === 'Windows' ? versionName : version) }
}

function deviceOf({ type, vendor, model }: Parsed['platform'], text: string): Device | undefined {
  if (type === 'bot') return { family: 'Spider', model: 'Desktop', brand: 'Spider' }
  if (text.startsWith('Mozilla/5.0 (Macintosh;')) {
    return { family: 'Mac', model: 'Mac', brand: 'Apple' }
  }
  const name = androidModel(text) ?? model
  if (name === undefined || name === '') return undefined
  return { family: name, model: name, brand: vendor ?? brandOf(name) }
}

const modelCharactersMax = 60
/** What stands in place of a model: browsers hide it (`K`), or name the kind of device only. */
const noModel: ReadonlySet<string> = new Set(['', 'k', 'wv', 'u', 'mobile', 'tablet', 'tv'])
const language = /^[a-z]{2}(?:[-_][a-z]{2})?$/i

/** The part after the version in the first brackets: `(Linux; Android 14; Pixel 8 Build/AP1A)`. */
function androidModel(text: string): string | undefined {
  const brackets = text.slice(text.indexOf('(') + 1, text.indexOf(')', text.indexOf('(')))
  const parts = brackets.split(';').map((part) => part.trim())
  const system = parts.findIndex((part) => part.startsWith('Android'))
  if (system === -1) return undefined
  const part = parts
    .slice(system + 1, system + 3)
    .find((name) => !noModel.has(name.toLowerCase()) && !language.test(name))
  const model = part?.split(' Build/', 1)[0]?.trim()
  const isModel = model !== undefined && !model.startsWith('rv:') && !model.startsWith('Build/')
  return isModel && model.length <= modelCharactersMax ? model : undefined
}

const brands: readonly (readonly [start: string, brand: string])[] = [
  ['pixel', 'Google'],
  ['nexus', 'Google'],
  ['sm-', 'Samsung'],
  ['samsung', 'Samsung'],
  ['redmi', 'Xiaomi'],
  ['xiaomi', 'Xiaomi'],
  ['moto', 'Motorola'],
  ['huawei', 'Huawei'],
  ['oneplus', 'OnePlus'],
  ['nokia', 'Nokia'],
]

export function brandOf(model: string): string | undefined {
  const lower = model.toLowerCase()
  return brands.find(([start]) => lower.startsWith(start))?.[1]
}

/** At most three numbers: more of them differ between nearly all events. */
export function shortVersion(version: string | undefined): string | undefined {
  const short = version?.split('.', 3).join('.')
  return short === undefined || short === '' ? undefined : short
}
