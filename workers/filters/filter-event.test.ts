import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { EventFilters, type FilterMatch } from './filter-event.ts'

type Settings = Partial<ProjectSettings['filters']>

function filter(payload: object, settings: Settings): FilterMatch | undefined {
  const normalized = normalizeEvent({
    payload: Buffer.from(JSON.stringify(payload)),
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: 1_763_715_600_000,
  })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return new EventFilters(ProjectSettings.parse({ filters: settings }).filters).match(
    normalized.event,
  )
}

const allOn: Settings = {
  browser_extensions: true,
  legacy_browsers: true,
  localhost: true,
  web_crawlers: true,
  releases: ['old@*'],
  error_messages: ['*ResizeObserver loop*', 'AbortError: *'],
}
const thrownIn = (...paths: string[]) => ({
  platform: 'javascript',
  exception: {
    values: [
      {
        type: 'Error',
        value: 'x',
        stacktrace: { frames: paths.map((abs_path) => ({ abs_path })) },
      },
    ],
  },
})
const visit = (agent: string) => ({ request: { headers: { 'User-Agent': agent } } })
const webkit = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'

// biome-ignore format: the columns are the point
test.each([
  ['an unwanted release',            { release: 'old@1.2' }, 'releases'],
  ['a wanted release',               { release: 'new@1.2' }, undefined],
  ['a message',                      { message: 'ResizeObserver loop limit exceeded' }, 'error_messages'],
  ['an exception with its type',     { exception: { values: [{ type: 'AbortError', value: 'The user aborted' }] } }, 'error_messages'],
  ['the type alone',                 { exception: { values: [{ type: 'Error', value: 'AbortError of mine' }] } }, undefined],
  ['an extension of Chrome',         thrownIn('https://shop.test/a.js', 'chrome-extension://abcdef/content.js'), 'browser_extensions'],
  ['an extension of Firefox',        thrownIn('moz-extension://0c9/inject.js'), 'browser_extensions'],
  ['an extension of Safari',         thrownIn('safari-web-extension://0c9/inject.js'), 'browser_extensions'],
  ['a masked extension of Safari',   thrownIn('webkit-masked-url://hidden/'), 'browser_extensions'],
  ['an extension that wraps only',   thrownIn('chrome-extension://abcdef/fetch.js', 'https://shop.test/a.js'), undefined],
  ['a page about extensions',        thrownIn('https://shop.test/extensions/list.js'), undefined],
  ['an extension on a server',       { ...thrownIn('chrome-extension://a/b.js'), platform: 'python' }, undefined],
  ['a page on localhost',            { request: { url: 'http://localhost:3000/x' } }, 'localhost'],
  ['a page on a loopback address',   { request: { url: 'http://127.0.0.1:3000/x' } }, 'localhost'],
  ['a page on IPv6 loopback',        { request: { url: 'http://[::1]/x' } }, 'localhost'],
  ['a visitor from localhost',       { user: { ip_address: '127.0.0.1' } }, 'localhost'],
  ['a host with the same prefix',    { request: { url: 'http://localhost.example.com/x' } }, undefined],
  ['Googlebot',                      visit('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'), 'web_crawlers'],
  ['an unknown crawler',             visit('Mozilla/5.0 (compatible; FooBot/1.0)'), 'web_crawlers'],
  ['a phone called Cubot',           visit(`Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36`), undefined],
  ['Internet Explorer 11',           visit('Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko'), 'legacy_browsers'],
  ['Internet Explorer 9',            visit('Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)'), 'legacy_browsers'],
  ['an old Chrome',                  visit(`${webkit} Chrome/49.0.2623.112 Safari/537.36`), 'legacy_browsers'],
  ['a new Chrome',                   visit(`${webkit} Chrome/142.0.0.0 Safari/537.36`), undefined],
  ['Edge with its old engine',       visit(`${webkit} Chrome/64.0 Safari/537.36 Edge/17.17134`), 'legacy_browsers'],
  ['a new Edge',                     visit(`${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0`), undefined],
  ['an old Safari',                  visit('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11) AppleWebKit/601.1 (KHTML, like Gecko) Version/9.0 Safari/601.1'), 'legacy_browsers'],
  ['a new Safari',                   visit('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'), undefined],
  ['Chrome on an iPhone',            visit('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1'), undefined],
  ['Opera with its old engine',      visit('Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.16'), 'legacy_browsers'],
  ['an old Firefox',                 visit('Mozilla/5.0 (X11; Linux x86_64; rv:52.0) Gecko/20100101 Firefox/52.0'), 'legacy_browsers'],
  ['an old Android browser',         visit('Mozilla/5.0 (Linux; U; Android 2.3.4; en) AppleWebKit/533.1 (KHTML, like Gecko) Version/4.0 Mobile Safari/533.1'), 'legacy_browsers'],
  ['no browser at all',              { message: 'plain' }, undefined],
] as const)('%s', (_name, payload, want) => {
  expect(filter(payload, allOn)?.name).toBe(want)
  expect(filter(payload, {})).toBeUndefined()
})

const agent = 'Mozilla/5.0 (compatible; FooBot/1.0)'
// biome-ignore format: the columns are the point
test.each([
  ['the glob and the release',    { release: 'old@1.2' },                      'old@*',               'old@1.2'],
  ['the glob and the message',    { message: 'A ResizeObserver loop' },        '*ResizeObserver loop*', 'A ResizeObserver loop'],
  ['the exception with its type', { exception: { values: [{ type: 'AbortError', value: 'no' }] } }, 'AbortError: *', 'AbortError: no'],
  ['the user agent',              visit(agent),                                undefined,             agent],
  ['nothing where several decide', { request: { url: 'http://localhost/' } },  undefined,             undefined],
] as const)('a match says %s', (_name, payload, rule, value) => {
  expect(filter(payload, allOn)).toMatchObject({ rule, value })
})
