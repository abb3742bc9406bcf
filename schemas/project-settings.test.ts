import { expect, test } from 'vitest'
import { allowsOrigin } from './allowed-origin.ts'
import { defaultProjectSettings, ProjectSettingsChange } from './project-settings.ts'

test('a new project removes secrets, filters nothing and accepts events from all pages', () => {
  expect(defaultProjectSettings).toMatchObject({
    scrubbing: { defaults: true, ip_addresses: false, patterns: [] },
    filters: { browser_extensions: false, web_crawlers: false, releases: [] },
    retention_days: null,
    allowed_origins: [],
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['https://App.Example.com',      'https://app.example.com'],
  ['https://app.example.com:443',  'https://app.example.com'],
  ['http://app.example.com:8080',  'http://app.example.com:8080'],
  ['https://*.Example.com',        'https://*.example.com'],
  ['http://localhost:*',           'http://localhost:*'],
  ['https://bücher.example',       'https://xn--bcher-kva.example'],
])('the origin %s is stored as %s', (entry, want) => {
  expect(ProjectSettingsChange.parse({ allowed_origins: [entry] }).allowed_origins).toEqual([want])
})

test.each([
  '*',
  'app.example.com',
  'https://a/b',
  'https://a.example/?x',
  'https://app*.example.com',
  'https://*',
  'ftp://a.example',
  'https://u@a.example',
])('the origin %s is rejected', (entry) => {
  expect(ProjectSettingsChange.safeParse({ allowed_origins: [entry] }).success).toBe(false)
})

// biome-ignore format: the columns are the point
test.each([
  ['an empty list allows all',    [],                         'https://x.test',               true],
  ['the same origin',            ['https://a.test'],         'https://a.test',               true],
  ['another scheme',             ['https://a.test'],         'http://a.test',                false],
  ['another port',               ['https://a.test'],         'https://a.test:81',            false],
  ['a subdomain of any depth',   ['https://*.a.test'],       'https://x.y.a.test',           true],
  ['the domain itself',          ['https://*.a.test'],       'https://a.test',               false],
  ['a longer domain',            ['https://*.a.test'],       'https://x.a.test.evil.test',   false],
  ['a domain with the same end',   ['https://*.a.test'],       'https://evila.test',           false],
  ['any port of localhost',      ['http://localhost:*'],     'http://localhost:5173',        true],
  ['localhost without a port',   ['http://localhost:*'],     'http://localhost',             true],
  ['a host with the same start',   ['http://localhost:*'],     'http://localhost:1.evil.test', false],
  ['a page without an origin',   ['https://a.test'],         'null',                         false],
])('origins: %s', (_name, allowed, origin, want) => {
  expect(allowsOrigin(allowed, origin)).toBe(want)
})
