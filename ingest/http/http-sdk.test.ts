/** The SDK that items are counted for, from what a request says about its client. */
import { expect, test } from 'vitest'
import type { OutcomeCount } from '#schemas/outcome.ts'
import { exportLogsRequest } from '../../bench/otlp/otlp-messages.ts'
import { componentKey, key, pagesKey, serveTests } from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()
const auth = `/?sentry_key=${key}`
const clientAuth = `${auth}&sentry_client=sentry.ruby%2F5.1.0`
const python = '"sdk":{"name":"sentry.python","version":"2.1.0"}'

const noId = '{"type":"event"}\n'

/** Everything that ingest has sent: `<kind or outcome:reason> <SDK>`. */
function sent(): string[] {
  return server.records().flatMap(({ kind, header: { sdk = 'none' }, payload }) => {
    if (kind !== 'outcomes') return [`${kind} ${sdk}`]
    const counts: OutcomeCount[] = JSON.parse(Buffer.from(payload).toString())
    return counts.map(({ outcome, reason }) => `${outcome}:${reason} ${sdk}`)
  })
}

async function expectSent(...wanted: string[]): Promise<void> {
  await expect.poll(() => sent().sort()).toEqual(wanted.sort())
  expect(server.errors).toEqual([])
}

// biome-ignore format: the columns are the point
test.each([
  ['credentials before the header', clientAuth, `{${python}}\n${noId}{}`,                                        ['event sentry.ruby']],
  ['header before the event',       auth,       `{${python}}\n${noId}{"sdk":{"name":"sentry.go"}}`,              ['event sentry.python']],
  ['event alone',                   auth,       `{}\n${noId}{"a":{"sdk":{"name":"no"}},"sdk":{"version":"1","name":"sentry.go"}}`, ['event sentry.go']],
  ['nothing',                       auth,       `{}\n${noId}{}`,                                                 ['event none']],
  ['items that cost no quota',      auth,       `{${python}}\n{"type":"session"}\n{}\n{"type":"client_report"}\n{}`, ['session sentry.python', 'client_report sentry.python']],
  ['unsupported items',             auth,       `{${python}}\n{"type":"span"}\n{}`,                              ['unsupported:unsupported:span sentry.python']],
  ['malformed items',               auth,       `{${python}}\n{"type":`,                                         ['rejected:malformed_envelope sentry.python']],
  ['malformed items, credentials',  clientAuth, `{${python}}\n{"type":`,                                         ['rejected:malformed_envelope sentry.ruby']],
  ['malformed header',              auth,       `{${python}`,                                                    ['rejected:malformed_envelope none']],
  ['too large, alone',              auth,       `{${python}}\n${noId}${' '.repeat(1_100_000)}`,                  ['rejected:too_large sentry.python']],
  ['number for a name',             auth,       `{"sdk":{"name":7}}\n${noId}{}`,                                 ['event none']],
  ['object for a name',             auth,       `{"sdk":{"name":{"name":"x"}}}\n${noId}{}`,                      ['event none']],
  ['object for a name in an event', auth,       `{}\n${noId}{"sdk":{"name":{"name":"x"}}}`,                      ['event none']],
  ['list for an SDK',               auth,       `{"sdk":["x"]}\n${noId}{}`,                                      ['event none']],
  ['list for an SDK in an event',   auth,       `{}\n${noId}{"sdk":["name","x"]}`,                               ['event none']],
  ['prototype',                     auth,       `{"sdk":{"__proto__":{"name":"x"}}}\n${noId}{}`,                 ['event none']],
  ['name of a prototype',           auth,       `{"sdk":{"name":"__proto__"}}\n${noId}{}`,                       ['event __proto__']],
  ['NUL and bidi',                  auth,       `{"sdk":{"name":"a\\u0000\\u202eb"}}\n${noId}{}`,                ['event a_b']],
  ['10,000 characters',             auth,       `{"sdk":{"name":"${'x'.repeat(10_000)}"}}\n${noId}{}`,           [`event ${'x'.repeat(64)}`]],
  ['10,000 characters in an event', auth,       `{}\n${noId}{"sdk":{"name":"${'x'.repeat(10_000)}"}}`,           ['event none']],
])('an envelope is counted for its SDK: %s', async (_name, query, body, wanted) => {
  await server.post(`/api/42/envelope${query}`, body)
  await expectSent(...wanted)
})

// biome-ignore format: the columns are the point
test.each([
  ['event',        auth,       '{"sdk":{"name":"sentry.php","version":"1"}}', ['event sentry.php']],
  ['credentials',  clientAuth, '{"sdk":{"name":"sentry.php"}}',               ['event sentry.ruby']],
  ['transaction',  auth,       '{"type":"transaction","sdk":{"name":"x"}}',   ['unsupported:unsupported:transaction x']],
  ['no object',    auth,       '{"sdk":"sentry.php"}',                        ['event none']],
  ['not JSON',     clientAuth, '{"sdk":',                                     ['rejected:invalid_json sentry.ruby']],
] as const)('a stored event is counted for its SDK: %s', async (_name, query, body, wanted) => {
  await server.post(`/api/42/store${query}`, body)
  await expectSent(...wanted)
})

test('a check-in and a security report are counted for the client of the credentials', async () => {
  await server.post(`/api/42/cron/nightly/${key}/?status=ok`, '')
  await server.post(`/api/42/security${clientAuth}`, 'no JSON', {
    'content-type': 'application/csp-report',
  })
  await expectSent('check_in none', 'rejected:invalid_json sentry.ruby')
})

test('what is refused before its body is read is counted for the client', async () => {
  const headers = { origin: 'https://evil.example' }
  const query = `/?sentry_key=${pagesKey}&sentry_client=sentry.javascript.browser%2F10`
  await server.post(`/api/42/envelope${query}`, `{}\n${noId}{}`, headers)
  await server.post(`/api/42/envelope${clientAuth}`, 'x', { 'content-encoding': 'gzip' })
  await server.post(`/api/42/envelope${clientAuth}`, 'x', { 'content-encoding': 'lzma' })
  await expectSent(
    'rejected:origin_not_allowed sentry.javascript.browser',
    'rejected:bad_encoding sentry.ruby',
    'rejected:bad_encoding sentry.ruby',
  )
})

test('events over the quota, and copies, are counted for their SDK; requests of one turn do not mix', async () => {
  const { path } = server.project({ monthlyEvents: 1 })
  const post = (id: number, sdk: string) => {
    const eventId = `${id}`.padStart(32, '0')
    return server.post(path, `{"sdk":{"name":"${sdk}"},"event_id":"${eventId}"}\n${noId}{}`)
  }
  await post(1, 'sentry.go')
  await post(1, 'sentry.rust')
  await Promise.all([post(2, 'sentry.php'), post(3, 'sentry.python'), post(4, 'sentry.python')])
  await expect
    .poll(() => new Set(sent()))
    .toEqual(
      new Set([
        'event sentry.go',
        'duplicate: sentry.rust',
        'over_quota: sentry.php',
        'over_quota: sentry.python',
      ]),
    )
})

test('a record of outcomes names the component of its key', async () => {
  await server.post(`/api/42/envelope/?sentry_key=${componentKey}`, 'x')
  await expect
    .poll(() => server.records().map(({ header }) => header))
    .toEqual([{ component: 'worker' }])
})

test('beyond twenty invented names, requests are counted as other', async () => {
  const { path } = server.project({})
  for (let at = 0; at < 30; at += 1) {
    await server.post(path, `{"sdk":{"name":"invented-${at}"}}\n${noId}{}`)
  }
  await server.post(path, `{${python}}\n${noId}{}`)
  const names = sent()
  expect(new Set(names).size).toBe(22)
  expect(names.filter((name) => name === 'event other')).toHaveLength(10)
  expect(names).toContain('event sentry.python')
})

const encodings = ['application/json', 'application/x-protobuf'] as const

function otlpBody(type: (typeof encodings)[number], request: object): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    type === 'application/json'
      ? Buffer.from(JSON.stringify(request))
      : exportLogsRequest.encode(exportLogsRequest.fromObject(request)).finish(),
  )
}

function resourceLogs(sdk: readonly string[], ...severities: readonly number[]) {
  const [name, language] = sdk
  const attribute = (key: string, stringValue: string | undefined) =>
    stringValue === undefined ? [] : [{ key, value: { stringValue } }]
  return {
    resource: {
      attributes: [
        ...attribute('telemetry.sdk.name', name),
        ...attribute('telemetry.sdk.language', language),
      ],
    },
    scopeLogs: [
      {
        logRecords: severities.map((severityNumber, index) => ({
          timeUnixNano: `17952155897273517${index}0`,
          severityNumber,
          body: { stringValue: `record ${index}` },
        })),
      },
    ],
  }
}

const headers = (type: string) => ({ 'content-type': type, 'user-agent': 'OTel-Exporter/1.2' })

test.each(encodings)(
  'records of OTLP logs are counted for the SDKs of their resources: %s',
  async (type) => {
    const { path } = server.project({ monthlyEvents: 2 })
    const body = otlpBody(type, {
      resourceLogs: [
        resourceLogs(['opentelemetry', 'nodejs'], 17, 9),
        resourceLogs(['opentelemetry', 'go'], 17, 18),
        resourceLogs([], 21),
      ],
    })
    await server.post(path.replace('/envelope/', '/otlp/v1/logs'), body, headers(type))
    await expectSent(
      'event opentelemetry.nodejs',
      'event opentelemetry.go',
      'over_quota: opentelemetry.go',
      'over_quota: otlp',
      'unsupported:unsupported:log opentelemetry.nodejs',
    )
  },
)

test.each(encodings)(
  'OTLP logs that are all dropped are counted for the first resource: %s',
  async (type) => {
    const request = { resourceLogs: [resourceLogs(['x'.repeat(9_000)], 9), resourceLogs(['b'], 9)] }
    await server.post(`/api/42/otlp/v1/logs${auth}`, otlpBody(type, request), headers(type))
    await expectSent(`unsupported:unsupported:log ${'x'.repeat(64)}`)
  },
)

test('an OTLP body that is not read is counted for its exporter', async () => {
  await server.post(`/api/42/otlp/v1/logs${auth}`, '{', headers('application/json'))
  await server.post(`/api/42/otlp/v1/traces${auth}`, '{}', headers('application/json'))
  await expectSent(
    'rejected:invalid_json OTel-Exporter',
    'unsupported:unsupported:otel_span OTel-Exporter',
  )
})
