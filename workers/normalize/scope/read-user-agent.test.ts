import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { normalizeEvent } from '../normalize-event.ts'
import { readUserAgent } from './read-user-agent.ts'

const joined = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join(' ')

// biome-ignore format: one user agent a line
test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36', 'Chrome 126.0.0', 'Windows 10', ''],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.68', 'Edge 126.0.2592', 'Windows 10', ''],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15', 'Safari 17.5', 'macOS 10.15.7', 'Mac by Apple'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1', 'Mobile Safari 17.5', 'iOS 17.5.1', 'iPhone by Apple'],
  ['Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1', 'Chrome Mobile iOS 126.0.6478', 'iOS 17.5', 'iPad by Apple'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127.0 Mobile/15E148 Safari/605.1.15', 'Firefox iOS 127.0', 'iOS 17.5', 'iPhone by Apple'],
  ['Mozilla/5.0 (Linux; Android 14; Pixel 8 Pro) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.71 Mobile Safari/537.36', 'Chrome Mobile 126.0.6478', 'Android 14', 'Pixel 8 Pro by Google'],
  ['Mozilla/5.0 (Linux; Android 13; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36', 'Samsung Internet 25.0', 'Android 13', 'SM-S918B by Samsung'],
  ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36', 'Chrome Mobile 126.0.0', 'Android 10', ''],
  ['Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', 'Firefox Mobile 127.0', 'Android 14', ''],
  ['Mozilla/5.0 (Linux; Android 12; SM-G991B Build/SP1A.210812.016; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/101.0.4951.61 Mobile Safari/537.36', 'Chrome Mobile WebView 101.0.4951', 'Android 12', 'SM-G991B by Samsung'],
  ['Mozilla/5.0 (Linux; U; Android 4.4.2; en-us; SCH-I535 Build/KOT49H) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30', 'Android Browser 4.0', 'Android 4.4.2', 'SCH-I535'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox 127.0', 'Linux', ''],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.6478.71 Safari/537.36', 'HeadlessChrome 126.0.6478', 'Linux', ''],
  ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36', 'Chrome 126.0.0', 'Chrome OS', ''],
  ['Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)', 'IE 8.0', 'Windows 7', ''],
  ['Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko', 'IE 11.0', 'Windows 7', ''],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 OPR/110.0.0.0', 'Opera 110.0.0', 'Windows 10', ''],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot 2.1', '', 'Spider by Spider'],
  ['Dalvik/2.1.0 (Linux; U; Android 14; Pixel 7 Build/AP1A.240505.004)', 'Android Browser', 'Android 14', 'Pixel 7 by Google'],
  ['curl/8.5.0', 'curl 8.5.0', '', ''],
  ['python-requests/2.31.0', 'Python Requests 2.31.0', '', ''],
  ['okhttp/4.12.0', 'okhttp 4.12.0', '', ''],
  ['PostmanRuntime/7.39.0', 'PostmanRuntime 7.39.0', '', ''],
  ['Go-http-client/1.1', 'Go-http-client 1.1', '', ''],
  ['node', '', '', ''],
  ['axios/1.7.2', 'axios 1.7.2', '', ''],
  ['MyApp/3.1 CFNetwork/1494.0.7 Darwin/23.4.0', '', '', ''],
  ['Mozilla/5.0', '', '', ''],
  [' ', '', '', ''],
  ['(((', '', '', ''],
  ['Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) slack/4.38.125 Chrome/124.0.6367.233 Electron/30.0.9 Safari/537.36', 'Electron 30.0.9', 'Windows 10', ''],
  ['Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36', 'Tizen', 'Tizen 6.0', ''],
])('%s', (text, browser, os, device) => {
  const read = readUserAgent(text)
  expect(joined(read.browser?.name, read.browser?.version)).toBe(browser)
  expect(joined(read.os?.name, read.os?.version)).toBe(os)
  expect([read.device?.family, read.device?.brand].filter(Boolean).join(' by ')).toBe(device)
})

const piece = fc.constantFrom(
  ...['Mozilla/5.0 ', '(', ')', ';', 'Android ', 'Build/', 'Windows NT ', 'Chrome/', '1.2.3'],
  ...['Version/', 'Mobile ', '\u202e', '\u0000', ' ', 'iPhone', 'wv', 'é'.repeat(300)],
)

test('any text is read, and what is read is bounded', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const { browser, os, device } = readUserAgent(text)
      const read = [browser?.name, browser?.version, os?.name, os?.version, device?.family]
      for (const one of read) {
        expect(one).not.toBe('')
        expect(one?.length ?? 0).toBeLessThanOrEqual(500)
      }
    }),
    { seed: 20_261_123, numRuns: 500 },
  )
})

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'

function contextsOf(event: object, userAgent = firefox, header = 'User-Agent') {
  const request = { headers: { [header]: userAgent } }
  const normalized = normalizeEvent({
    payload: Buffer.from(JSON.stringify({ request, ...event })),
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: Date.UTC(2026, 10, 20),
  })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return JSON.parse(normalized.event.payload).contexts
}

const browser = { name: 'Firefox', version: '127.0', type: 'browser' }
const os = { name: 'Linux', type: 'os' }

test('a browser describes its own system, a server that of the person', () => {
  expect(contextsOf({ platform: 'javascript' })).toEqual({ browser, os })
  expect(contextsOf({ platform: 'python' })).toEqual({ browser, client_os: os })
  expect(contextsOf({ platform: 'python', contexts: { os: { name: 'Debian' } } })).toEqual({
    os: { name: 'Debian', type: 'os' },
    browser,
    client_os: os,
  })
})

test('the name of the header is in any case', () => {
  expect(contextsOf({ platform: 'php' }, firefox, 'user-agent').browser).toEqual(browser)
})

test('what the client says is never replaced', () => {
  const sent = {
    browser: { type: 'browser', version: '1' },
    os: { type: 'os', name: 'Solaris' },
    device: { type: 'device', arch: 'sparc' },
  }
  expect(contextsOf({ platform: 'javascript', contexts: sent })).toEqual(sent)
})

test('a context in which the client says nothing is filled', () => {
  const contexts = { browser: {}, os: { type: 'os' } }
  expect(contextsOf({ platform: 'javascript', contexts })).toEqual({ browser, os })
})

test('without a known user agent there are no contexts', () => {
  for (const text of ['', '(', 'MyApp/3.1', '[removed]']) {
    expect(contextsOf({ platform: 'javascript' }, text)).toBeUndefined()
  }
})
