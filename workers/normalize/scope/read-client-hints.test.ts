import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { hostileTexts } from '../../../test/fixtures/hostile-texts.ts'
import { normalizeEvent } from '../normalize-event.ts'
import { withClientHints } from './read-client-hints.ts'
import { readUserAgent } from './read-user-agent.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'
const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const edge = `${chrome} Edg/126.0.0.0`
const electron =
  'Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) slack/4.38.125 Chrome/124.0.6367.233 Electron/30.0.9 Safari/537.36'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'

const brands = (name: string, version: string, engine = version) =>
  `"Not/A)Brand";v="8.0.0.0", "Chromium";v="${engine}", "${name}";v="${version}"`
const full = (name: string, version: string) => ({
  'Sec-CH-UA-Full-Version-List': brands(name, version),
})
const system = (name: string, version: string) => ({
  'Sec-CH-UA-Platform': `"${name}"`,
  'Sec-CH-UA-Platform-Version': `"${version}"`,
})

function read(userAgent: string, hints: Readonly<Record<string, string>>): string[] {
  const known = readUserAgent(userAgent)
  const { browser, os, device } = withClientHints(known, Object.entries(hints))
  const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ')
  return [
    joined(browser?.name, browser?.version),
    joined(os?.name, os?.version),
    joined(device?.family, device?.brand && `by ${device.brand}`),
  ]
}

// biome-ignore format: the columns are the point
test.each<[name: string, userAgent: string, hints: Record<string, string>, read: string[]]>([
  ['without headers, the user agent stays',   chrome,   {},                                         ['Chrome 126.0.0', 'Windows 10', '']],
  ['the whole version of the browser',        chrome,   full('Google Chrome', '126.0.6478.127'),     ['Chrome 126.0.6478', 'Windows 10', '']],
  ['a release alone says nothing new',        chrome,   { 'sec-ch-ua': brands('Google Chrome', '126') }, ['Chrome 126.0.0', 'Windows 10', '']],
  ['names of headers in any case',            chrome,   { 'SEC-CH-UA-FULL-VERSION-LIST': brands('Google Chrome', '126.0.6478.127') }, ['Chrome 126.0.6478', 'Windows 10', '']],
  ['Windows 11',                              chrome,   system('Windows', '15.0.0'),                 ['Chrome 126.0.0', 'Windows 11', '']],
  ['Windows 10',                              chrome,   system('Windows', '10.0.0'),                 ['Chrome 126.0.0', 'Windows 10', '']],
  ['Windows 8.1',                             chrome,   system('Windows', '0.3.0'),                  ['Chrome 126.0.0', 'Windows 8.1', '']],
  ['a version of Windows that is hidden',     chrome,   system('Windows', '0.0.0'),                  ['Chrome 126.0.0', 'Windows 10', '']],
  ['macOS behind its frozen version',         mac,      system('macOS', '14.5.0'),                   ['Chrome 126.0.0', 'macOS 14.5', 'Mac by Apple']],
  ['a platform without a version',            mac,      { 'Sec-CH-UA-Platform': '"macOS"', 'Sec-CH-UA-Platform-Version': '""' }, ['Chrome 126.0.0', 'macOS 10.15.7', 'Mac by Apple']],
  ['a phone behind its hidden model',         android,  { ...full('Google Chrome', '126.0.6478.71'), ...system('Android', '14.0.0'), 'Sec-CH-UA-Mobile': '?1', 'Sec-CH-UA-Model': '"Pixel 8 Pro"' }, ['Chrome Mobile 126.0.6478', 'Android 14', 'Pixel 8 Pro by Google']],
  ['an empty model',                          chrome,   { 'Sec-CH-UA-Model': '""' },                 ['Chrome 126.0.0', 'Windows 10', '']],
  ['Edge',                                    edge,     full('Microsoft Edge', '126.0.2592.68'),     ['Edge 126.0.2592', 'Windows 10', '']],
  ['a browser that is Chrome by user agent',  chrome,   full('Brave', '126.1.67.116'),               ['Brave 126.1.67', 'Windows 10', '']],
  ['its release alone',                       chrome,   { 'sec-ch-ua': brands('Brave', '126') },     ['Brave 126', 'Windows 10', '']],
  ['an engine alone',                         electron, { 'sec-ch-ua': '"Chromium";v="124", "Not-A.Brand";v="99"' }, ['Electron 30.0.9', 'Windows 10', '']],
  ['a web view',                              android,  full('Android WebView', '101.0.4951.61'),    ['Chrome Mobile WebView 101.0.4951', 'Android 10', '']],
  ['another browser than the user agent',     firefox,  { ...full('Google Chrome', '126.0.6478.127'), 'Sec-CH-UA-Mobile': '?1' }, ['Chrome Mobile 126.0.6478', 'Linux', '']],
  ['no user agent',                           '',       { ...full('Opera', '110.0.5130.39'), ...system('Chromium OS', '15662.76.0') }, ['Opera 110.0.5130', 'Chrome OS 15662.76', '']],
  ['an engine without a user agent',          '',       { 'sec-ch-ua': '"Chromium";v="124"' },       ['Chromium 124', '', '']],
  ['a made-up brand in each of its forms',    chrome,   { 'sec-ch-ua': '" Not;A Brand";v="99", "(Not(A:Brand";v="8", "Not_A Brand";v="1", "Not?A_Brand";v="2"' }, ['Chrome 126.0.0', 'Windows 10', '']],
  // Not of the form of the standard.
  ['a brand without quotes',                  chrome,   { 'sec-ch-ua': 'Brave;v=126' },              ['Chrome 126.0.0', 'Windows 10', '']],
  ['a version that is not a number',          chrome,   full('Brave', 'x'),                          ['Chrome 126.0.0', 'Windows 10', '']],
  ['a brand of signs',                        chrome,   full('<script>', '1'),                       ['Chrome 126.0.0', 'Windows 10', '']],
  ['a brand that turns the text around',      chrome,   full('\u202eevarB', '1'),                    ['Chrome 126.0.0', 'Windows 10', '']],
  ['a platform without quotes',               chrome,   { 'Sec-CH-UA-Platform': 'Linux' },           ['Chrome 126.0.0', 'Windows 10', '']],
  ['an unknown platform',                     chrome,   system('TempleOS', '5.0'),                   ['Chrome 126.0.0', 'Windows 10', '']],
  ['another platform than the user agent',    chrome,   system('Linux', 'x'),                        ['Chrome 126.0.0', 'Linux', '']],
  ['a removed text',                          chrome,   { 'Sec-CH-UA-Model': '[Filtered]' },         ['Chrome 126.0.0', 'Windows 10', '']],
  ['a model of signs',                        chrome,   { 'Sec-CH-UA-Model': '"\u0000\u0001"' },     ['Chrome 126.0.0', 'Windows 10', '']],
  ['a header that only begins so',            chrome,   { 'Sec-CH-UAX': brands('Brave', '1.2.3') },  ['Chrome 126.0.0', 'Windows 10', '']],
])('%s', (_name, userAgent, hints, wanted) => {
  expect(read(userAgent, hints)).toEqual(wanted)
})

const names = ['', '-full-version-list', '-platform', '-platform-version', '-model', '-mobile']
const piece = fc.constantFrom(
  ...['"', '\\', ';v="', '";v="', ', ', 'Chromium', 'Brave', '126.0.1', 'Not A Brand', '?1'],
  ...['\u202e', '\u0000', '9'.repeat(300), '.0'.repeat(300), 'é'.repeat(100), '"Windows"'],
)

test('any headers are read, and what is read is bounded', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
    fc.constantFrom(...hostileTexts),
  )
  const headers = fc.array(
    fc.tuple(fc.constantFrom(...names), texts).map(([name, text]) => [`sec-ch-ua${name}`, text]),
  )
  fc.assert(
    fc.property(headers, (pairs) => {
      const known = { browser: undefined, os: undefined, device: undefined }
      const { browser, os, device } = withClientHints(known, pairs as [string, string][])
      const all = [browser?.name, browser?.version, os?.name, os?.version, device?.family]
      for (const one of all) {
        if (one === undefined) continue
        expect(one.length).toBeGreaterThan(0)
        expect(one.length).toBeLessThanOrEqual(60)
        expect(one).toMatch(/^[\p{L}\p{N} ._()+/&-]+$/u)
      }
    }),
    { seed: 20_261_128, numRuns: 500 },
  )
})

test('the headers of a request fill the contexts of its event', () => {
  const headers = {
    'User-Agent': chrome,
    ...full('Google Chrome', '126.0.6478.127'),
    ...system('Windows', '15.0.0'),
  }
  const contextsOf = (event: object) => {
    const normalized = normalizeEvent({
      payload: Buffer.from(JSON.stringify({ request: { headers }, ...event })),
      eventId: 'a'.repeat(32) as EventId,
      receivedAtMs: Date.UTC(2026, 10, 20),
    })
    if (normalized.kind !== 'event') throw new Error(normalized.kind)
    return JSON.parse(normalized.event.payload).contexts
  }
  const browser = { name: 'Chrome', version: '126.0.6478', type: 'browser' }
  const windows = { name: 'Windows', version: '11', type: 'os' }
  expect(contextsOf({ platform: 'python' })).toEqual({ browser, client_os: windows })
  expect(contextsOf({ platform: 'javascript' })).toEqual({ browser, os: windows })
  const contexts = {
    browser: { name: 'Mine', type: 'browser' },
    client_os: { name: 'Own', type: 'os' },
  }
  expect(contextsOf({ platform: 'python', contexts })).toEqual(contexts)
})
