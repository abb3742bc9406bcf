import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSecurityReports, type SecurityCall } from './read-security-reports.ts'

const nowMs = 1_795_215_589_000
const common = {
  platform: 'javascript',
  level: 'error',
  timestamp: nowMs / 1000,
  release: 'shop@1',
  environment: 'production',
  sdk: { settings: { infer_ip: 'never' } },
}

function read(sent: unknown, call: Partial<SecurityCall> = {}) {
  const body = typeof sent === 'string' ? sent : JSON.stringify(sent)
  const result = readSecurityReports({
    body: Buffer.from(body),
    userAgent: 'Mozilla/5.0',
    referrer: 'https://shop.example/from',
    release: 'shop@1',
    environment: 'production',
    receivedAtMs: nowMs,
    ...call,
  })
  return result.kind === 'invalid' ? result.cause : JSON.parse(JSON.stringify(result.reports))
}

describe('report-uri', () => {
  // A report of Firefox.
  const csp = {
    'blocked-uri': 'https://cdn.example/x.js',
    disposition: 'report',
    'document-uri': 'https://shop.example/cart',
    'effective-directive': 'script-src-elem',
    'original-policy': "script-src 'self'; report-uri /csp",
    'status-code': 200,
    'violated-directive': 'script-src-elem',
  }

  test('becomes one event with the blocked resource and the page', () => {
    expect(read({ 'csp-report': csp })).toEqual([
      {
        kind: 'event',
        fields: {
          ...common,
          logger: 'csp',
          csp,
          tags: { 'csp.disposition': 'report' },
          request: {
            url: 'https://shop.example/cart',
            headers: { 'User-Agent': 'Mozilla/5.0' },
          },
        },
      },
    ])
  })

  test('without its page has the page of the Referer header', () => {
    const [{ fields }] = read(
      { 'csp-report': { 'violated-directive': 'img-src' } },
      { userAgent: '' },
    )
    expect(fields.request).toEqual({ url: 'https://shop.example/from', headers: {} })
  })

  test('loses nested values and fields beyond the limit', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index]))
    const sent = { 'violated-directive': 'img-src', nested: { a: 1 }, list: [1], ...many }
    const [{ fields }] = read({ 'csp-report': sent })
    expect(Object.keys(fields.csp)).toHaveLength(50)
    expect(fields.csp).not.toHaveProperty('nested')
    expect(fields.csp).not.toHaveProperty('list')
  })
})

describe('report-to', () => {
  // A report of Chrome.
  const violation = {
    age: 53_531,
    body: {
      blockedURL: 'inline',
      columnNumber: 39,
      disposition: 'enforce',
      documentURL: 'https://shop.example/csp',
      effectiveDirective: 'script-src-elem',
      lineNumber: 121,
      originalPolicy: "default-src 'self'",
      referrer: '',
      sample: 'console.log("lo")',
      sourceFile: 'https://shop.example/csp',
      statusCode: 200,
    },
    type: 'csp-violation',
    url: 'https://shop.example/csp',
    user_agent: 'Mozilla/5.0 Chrome/127',
  }

  test('becomes an event for each violation, with the time of the violation', () => {
    const [first, second, ...others] = read([violation, violation])
    expect(others).toEqual([])
    expect(second).toEqual(first)
    expect(first.fields).toEqual({
      ...common,
      timestamp: (nowMs - 53_531) / 1000,
      logger: 'csp',
      csp: violation.body,
      tags: { 'csp.disposition': 'enforce' },
      request: {
        url: 'https://shop.example/csp',
        headers: { 'User-Agent': 'Mozilla/5.0 Chrome/127' },
      },
    })
  })

  test('recognises reports that are not about security', () => {
    expect(read([{ type: 'deprecation', body: {} }, violation])).toMatchObject([
      { kind: 'unsupported', type: 'deprecation' },
      { kind: 'event' },
    ])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['older than a week', 8 * 86_400_000], ['from the future', -5], ['of no number', 'old'],
  ])('%s has its time of receipt', (_name, age) => {
    expect(read([{ ...violation, age }])[0].fields.timestamp).toBe(nowMs / 1000)
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['expectct    ', { 'expect-ct-report': { hostname: 'a.example', port: 443, scts: [1] } },     "Expect-CT failed for 'a.example'"],
  ['expectstaple', { 'expect-staple-report': { hostname: 'a.example', port: 443 } },            "Expect-Staple failed for 'a.example'"],
  ['hpkp        ', { hostname: 'a.example', port: 443, 'known-pins': [] },                      "Public key pinning validation failed for 'a.example'"],
] as const)('a report of a certificate becomes an event of its host: %s', (name, sent, message) => {
  const [{ fields }] = read(sent)
  expect(fields).toMatchObject({
    logger: name.trim(),
    logentry: { formatted: message },
    fingerprint: [name.trim(), 'a.example'],
  })
  expect(fields.extra.port).toBe(443)
})

const unnamed = 'a report must be an object that names what was blocked'

// biome-ignore format: the columns are the point
test.each([
  ['no JSON                 ', '{"csp-report"',                             'the report is not valid JSON'],
  ['nothing                 ', '',                                          'the report is not valid JSON'],
  ['null                    ', 'null',                                      unnamed],
  ['a string                ', '"x"',                                       unnamed],
  ['an object without report', '{}',                                        unnamed],
  ['a report of no directive', '{"csp-report":{"blocked-uri":"a"}}',        unnamed],
  ['a report that is a list ', '{"csp-report":[]}',                         unnamed],
  ['a list of numbers       ', '[1]',                                       unnamed],
  ['a report without a body ', '[{"type":"csp-violation"}]',                unnamed],
  ['a report without a type ', '[{"body":{"effectiveDirective":"a"}}]',     unnamed],
] as const)('is refused: %s', (_name, body, want) => {
  expect(read(body)).toBe(want)
})

test('it never throws, and its events are flat', () => {
  const names = fc.constantFrom(
    'csp-report',
    'expect-ct-report',
    'type',
    'body',
    'hostname',
    '__proto__',
  )
  const words = fc.constantFrom('csp-violation', 'a.example', 'img-src')
  const fields = fc.dictionary(
    fc.oneof(names, fc.constant('effectiveDirective')),
    fc.oneof(words, fc.jsonValue()),
  )
  const report = fc.dictionary(names, fc.oneof(words, fields))
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.oneof(report, fc.array(report)).map((each) => JSON.stringify(each)),
  )
  fc.assert(
    fc.property(body, (text) => {
      const reports = read(text)
      if (typeof reports === 'string') return
      for (const { kind, fields: event } of reports) {
        if (kind === 'unsupported') continue
        for (const value of Object.values(event.csp ?? event.extra)) {
          expect(value === null || typeof value !== 'object').toBe(true)
        }
      }
    }),
    { seed: 20_261_121, numRuns: 2000 },
  )
})
