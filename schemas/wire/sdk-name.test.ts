import { expect, test } from 'vitest'
import { isKnownSdk, sdkNameOf } from './sdk-name.ts'

// biome-ignore format: the columns are the point
test.each([
  ['name and version',      'sentry.javascript.node/10.2.0',  'sentry.javascript.node'],
  ['no version',            'sentry.python',                  'sentry.python'],
  ['empty version',         'sentry.python/',                 'sentry.python'],
  ['former SDK',            'raven-js/3.27.2',                'raven-js'],
  ['package with a scope',  '@sentry/browser/5.0.0',          '@sentry/browser'],
  ['scope without version', '@acme/errors',                   '@acme/errors'],
  ['scope alone',           '@acme',                          '@acme'],
  ['browser',               'Mozilla/5.0 (X11; Linux)',       'Mozilla'],
  ['OTLP exporter',         'OTel OTLP Exporter Go/1.30.0',   'OTel OTLP Exporter Go'],
  ['slash first',           '/1.0',                           ''],
  ['white space',           ' \t ',                           ''],
  ['NUL and controls',      'a\0b\u001b[31mc\n/1',            'a_b__31mc'],
  ['bidi',                  'sdk\u202egnp.exe/1',             'sdk_gnp.exe'],
  ['not Latin',             '日本語',                            '___'],
  ['lone surrogate',        'a\ud800',                        'a_'],
  ['HTML',                  '<script>alert(1)</script>',      '_script_alert_1__'],
  ['prototype',             '__proto__',                      '__proto__'],
  ['long',                  'x'.repeat(10_000),               'x'.repeat(64)],
])('the name of an SDK: %s', (_name, client, want) => {
  expect(sdkNameOf(client)).toBe(want)
})

test.each([
  'sentry.javascript.browser',
  'sentry.python',
  'sentry.python.django',
  'opentelemetry.go',
])('%s is a known SDK', (name) => expect(isKnownSdk(name)).toBe(true))

test.each(['', 'sentry.mine', '__proto__', 'constructor', 'sentry.python.'])(
  '%j is no known SDK',
  (name) => expect(isKnownSdk(name)).toBe(false),
)
