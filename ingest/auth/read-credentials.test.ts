import { expect, test } from 'vitest'
import { credentialsOfDsn, credentialsOfHeaders, credentialsOfQuery } from './read-credentials.ts'

const key = 'a1'.repeat(16)
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

// biome-ignore format: the columns are the point
test.each([
  ['JS SDK           ', `sentry_version=7&sentry_key=${key}&sentry_client=sentry.js%2F10.1`, { kind: 'key', publicKey: key, client: 'sentry.js/10.1' }],
  ['key alone        ', `sentry_key=${key}`,                      { kind: 'key', client: '' }],
  ['no key           ', 'sentry_version=7',                       { kind: 'none' }],
  ['an empty key     ', 'sentry_key=',                            { kind: 'none' }],
  ['a short key      ', 'sentry_key=abc',                         { kind: 'malformed' }],
  ['an upper-case key', `sentry_key=${key.toUpperCase()}`,        { kind: 'malformed' }],
  ['version 8        ', `sentry_key=${key}&sentry_version=8`,     { kind: 'key' }],
  ['version 9        ', `sentry_key=${key}&sentry_version=9`,     { kind: 'malformed' }],
  ['a broken version ', `sentry_key=${key}&sentry_version=x`,     { kind: 'malformed' }],
  ['broken encoding  ', `sentry_key=${key}&sentry_client=%zz%00`, { kind: 'key' }],
] as const)('the key of a query: %s', (_name, query, want) => {
  expect(credentialsOfQuery(query)).toMatchObject(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['Python             ', `Sentry sentry_key=${key}, sentry_version=7, sentry_client=sentry.python/2.0`, '', { kind: 'key', client: 'sentry.python/2.0' }],
  ['no spaces          ', `Sentry sentry_version=7,sentry_client=x,sentry_key=${key}`, '',               { kind: 'key' }],
  ['raven with secret  ', `Sentry sentry_version=5.1, sentry_timestamp=1.5, sentry_key=${key}, sentry_secret=s`, '', { kind: 'key' }],
  ['OTLP exporter      ', `sentry sentry_key=${key}`, '',            { kind: 'key' }],
  ['Authorization      ', '', `Sentry sentry_key=${key}`,            { kind: 'key' }],
  ['Basic              ', '', basic(`${key}:`),                      { kind: 'key', publicKey: key }],
  ['the first header wins', `Sentry sentry_key=${key}`, basic(`${'b'.repeat(32)}:`), { publicKey: key }],
  ['empty headers      ', '', '',                                    { kind: 'none' }],
  ['another scheme     ', `Bearer ${key}`, `Bearer ${key}`,          { kind: 'none' }],
  ['a scheme and no key', 'Sentry sentry_version=7', '',             { kind: 'none' }],
  ['a malformed key    ', 'Sentry sentry_key=xyz', '',               { kind: 'malformed' }],
  ['a malformed Basic  ', '', basic('someone:secret'),               { kind: 'malformed' }],
] as const)('the key of a header: %s', (_name, sentryAuth, authorization, want) => {
  expect(credentialsOfHeaders({ sentryAuth, authorization })).toMatchObject(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['plain              ', `http://${key}@host/42`,                 { kind: 'key', publicKey: key }],
  ['secret, port, path ', `https://${key}:s@host:9000/a/b/42`,     { kind: 'key' }],
  ['IPv6 and query     ', `http://${key}@[::1]:80/42?x=1`,         { kind: 'key' }],
  ['another project    ', `http://${key}@host/43`,                 { kind: 'other_project' }],
  ['a malformed key    ', 'http://short@host/42',                  { kind: 'malformed' }],
  ['no DSN at all      ', undefined,                               { kind: 'none' }],
  ['not a DSN          ', 'nope',                                  { kind: 'none' }],
  ['no project         ', `http://${key}@host/`,                   { kind: 'none' }],
  ['another scheme     ', `ftp://${key}@host/42`,                  { kind: 'none' }],
] as const)('the key of a DSN: %s', (_name, dsn, want) => {
  expect(credentialsOfDsn(dsn, '42')).toMatchObject(want)
})
