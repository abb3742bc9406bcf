/**
 * Each kind of item as the SDK families write it into envelopes: with and without a length, with
 * short and long headers.
 */
import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { planEnvelope } from './envelope-format.ts'
import { parseEnvelope } from './parse-envelope.ts'

const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
const dashed = '5f0c1d2e-3a4b-4c5d-8e9f-001122334455'
const sentAt = '2026-11-20T23:01:47.186Z'
const nodeHeader = `{"sent_at":"${sentAt}","sdk":{"name":"sentry.javascript.node","version":"10.78.0"}}`
const nodeEventHeader = `{"event_id":"${id}","sent_at":"${sentAt}","sdk":{"name":"sentry.javascript.node","version":"10.78.0"},"trace":{"environment":"production","public_key":"${'a'.repeat(32)}","trace_id":"${id}"}}`

const session = `{"sid":"${id}","init":true,"started":"${sentAt}","timestamp":"${sentAt}","status":"exited","errors":0,"duration":0.3,"attrs":{"release":"app@1.0.0","environment":"staging"}}`
const pythonSession = `{"sid":"${dashed}","init":true,"started":"2026-11-20T23:01:47.186000Z","timestamp":"2026-11-20T23:01:48.186000Z","status":"crashed","errors":1,"attrs":{"release":"app@1.0.0"}}`
const sums =
  '{"attrs":{"release":"app@1.0.0","environment":"staging"},"aggregates":[{"started":"2026-11-20T23:01:00.000Z","exited":120,"errored":3}]}'
const checkIn = `{"check_in_id":"${id}","monitor_slug":"nightly","status":"in_progress","monitor_config":{"schedule":{"type":"crontab","value":"0 * * * *"}}}`
const report =
  '{"timestamp":1795215633.495,"discarded_events":[{"reason":"ratelimit_backoff","category":"error","quantity":1}]}'
const feedback = `{"contexts":{"feedback":{"message":"I like it"}},"type":"feedback","level":"info","event_id":"${id}"}`
const userReport = `{"event_id":"${id}","name":"Ada","email":null,"comments":"it broke"}`
const event = '{"message":"a"}'

/** An item with its length, as Python, Java, .NET, Go, Rust, native and Cocoa write it. */
function measured(type: string, payload: string, header = ''): string {
  return `{"type":"${type}",${header}"length":${Buffer.byteLength(payload)}}\n${payload}`
}

/** The same with the longer header that some SDKs write. */
function typed(type: string, payload: string): string {
  return `{"content_type":"application/json","type":"${type}","length":${Buffer.byteLength(payload)}}\n${payload}`
}

// biome-ignore format: the columns are the point
test.each([
  ['Node: a session           ', `${nodeHeader}\n{"type":"session"}\n${session}`,                        { free: [['session', session]], sdk: 'sentry.javascript.node/10.78.0' }],
  ['Node server: sessions     ', `${nodeHeader}\n{"type":"sessions"}\n${sums}`,                          { free: [['sessions', sums]] }],
  ['Node: a check-in          ', `${nodeHeader}\n{"type":"check_in"}\n${checkIn}`,                       { free: [['check_in', checkIn]] }],
  ['Node: feedback            ', `${nodeEventHeader}\n{"type":"feedback"}\n${feedback}`,                 { free: [['feedback', feedback]], envelopeId: id }],
  ['Node: feedback, screenshot', `${nodeEventHeader}\n{"type":"feedback"}\n${feedback}\n{"type":"attachment","length":3,"filename":"a.png"}\n\x89\n\n`,
    { free: [['feedback', feedback]], outcomes: ['unsupported:attachment'] }],
  ['browser: a client report  ', `{}\n{"type":"client_report"}\n${report}`,                              { free: [['client_report', report]], envelopeId: undefined, sentAt: undefined }],
  ['browser, tunnel: the same ', `{"dsn":"https://${'a'.repeat(32)}@o1.example/42"}\n{"type":"client_report"}\n${report}`, { free: [['client_report', report]] }],
  ['old browser: a user report', `{"event_id":"${id}","sent_at":"${sentAt}"}\n{"type":"user_report"}\n${userReport}`, { free: [['user_report', userReport]], envelopeId: id }],
  ['Python 1.9: a session     ', `{}\n${measured('session', pythonSession, '"content_type":"application/json",')}\n`, { free: [['session', pythonSession]], sdk: undefined }],
  ['Python: sessions          ', `{}\n${typed('sessions', sums)}\n`,                                     { free: [['sessions', sums]] }],
  ['Python: event with session', `{"event_id":"${id}","sent_at":"2026-11-20T23:01:47.186000Z"}\n${typed('event', event)}\n${typed('session', pythonSession)}\n`,
    { events: 1, free: [['session', pythonSession]] }],
  ['Python: a report beside it', `{"event_id":"${id}"}\n${typed('event', event)}\n${typed('client_report', report)}\n`, { events: 1, free: [['client_report', report]] }],
  ['Python, Celery: check-in  ', `{"event_id":"${id}","sent_at":"${sentAt}"}\n${typed('check_in', checkIn)}\n`, { free: [['check_in', checkIn]] }],
  ['Ruby 5.3: sessions        ', `{"dsn":"http://${'a'.repeat(32)}@host/42","sdk":{"name":"sentry.ruby","version":"5.3.0"},"sent_at":"${sentAt}"}\n{"type":"sessions"}\n${sums}\n`,
    { free: [['sessions', sums]], sdk: 'sentry.ruby/5.3.0' }],
  ['Ruby: a client report     ', `{"event_id":"${id}"}\n{"type":"event","content_type":"application/json"}\n${event}\n{"type":"client_report"}\n${report}`,
    { events: 1, free: [['client_report', report]] }],
  ['Java: a session           ', `{"sdk":{"name":"sentry.java","version":"8.0.0","packages":[]},"sent_at":"${sentAt}"}\n${typed('session', session)}\n`, { free: [['session', session]] }],
  ['Java: a user report       ', `{"event_id":"${id}"}\n${typed('user_report', userReport)}\n`,          { free: [['user_report', userReport]], envelopeId: id }],
  ['.NET: a user report       ', `{"sdk":{"name":"sentry.dotnet","version":"5.0.0"},"event_id":"${id}","sent_at":"2026-11-20T23:01:47.1860000+00:00"}\n${measured('user_report', userReport)}\n`,
    { free: [['user_report', userReport]], envelopeId: id }],
  ['.NET: a session           ', `{"sdk":{"name":"sentry.dotnet","version":"5.0.0"},"sent_at":"2026-11-20T23:01:47.1860000+00:00"}\n${measured('session', session)}\n`, { free: [['session', session]] }],
  ['Go: a check-in            ', `{"event_id":"${id}","sent_at":"${sentAt}","dsn":"https://${'a'.repeat(32)}@host/42"}\n${measured('check_in', checkIn)}\n`, { free: [['check_in', checkIn]] }],
  ['sentry-cli: a check-in    ', `{}\n${measured('check_in', checkIn)}\n`,                               { free: [['check_in', checkIn]], envelopeId: undefined }],
  ['Rust: event with session  ', `{"event_id":"${dashed}"}\n${measured('event', event)}\n${measured('session', session)}\n`,
    { events: 1, free: [['session', session]], envelopeId: id }],
  ['Rust server: sessions     ', `{}\n${measured('sessions', sums)}\n`,                                  { free: [['sessions', sums]] }],
  ['native: a crash           ', `{"dsn":"https://${'a'.repeat(32)}@host/42","event_id":"${dashed}","sent_at":"${sentAt}"}\n${measured('event', event)}\n${measured('session', session)}\n${measured('attachment', 'MDMP', '"attachment_type":"event.minidump","filename":"m.dmp",')}`,
    { events: 1, free: [['session', session]], outcomes: ['unsupported:attachment'] }],
  ['Cocoa: a crash            ', `{"event_id":"${id.toUpperCase()}","sdk":{"name":"sentry.cocoa","version":"8.50.0"},"sent_at":"${sentAt}"}\n${measured('event', event)}\n${measured('session', session)}\n${measured('client_report', report)}`,
    { events: 1, free: [['session', session], ['client_report', report]], envelopeId: id }],
  ['Dart: a session           ', `{"sdk":{"name":"sentry.dart.flutter","version":"9.0.0"}}\n${typed('session', session)}`, { free: [['session', session]] }],
  ['PHP: a check-in           ', `{"event_id":"${id}","sent_at":"2026-11-20T23:01:47Z","dsn":"https://${'a'.repeat(32)}@host/42","sdk":{"name":"sentry.php","version":"4.15.0"}}\n{"type":"check_in","content_type":"application/json"}\n${checkIn}`,
    { free: [['check_in', checkIn]] }],
  ['Elixir: a check-in        ', `{"event_id":"${id}"}\n${measured('check_in', checkIn)}\n`,             { free: [['check_in', checkIn]] }],
  ['a relay: several sessions ', `{}\n${measured('session', session)}\n${measured('session', pythonSession)}\n${measured('sessions', sums)}\n`,
    { free: [['session', session], ['session', pythonSession], ['sessions', sums]] }],
] as const)('%s', (_name, text, want) => {
  const bytes = Buffer.from(text, 'latin1')
  const envelope = parseEnvelope(bytes)
  if (envelope.kind === 'malformed') throw new Error(envelope.cause)
  const plan = planEnvelope(envelope, bytes, {
    newEventId: () => 'f'.repeat(32) as EventId,
    unsupportedReason: (type) => `unsupported:${type}`,
  })
  const { events = 0, outcomes = [], free, ...header } = { ...want } as Wanted
  expect(plan.freeItems.map(({ type, start, end }) => [type, text.slice(start, end)])).toEqual(free)
  expect(plan.events).toHaveLength(events)
  expect(plan.outcomes.map(({ reason }) => reason)).toEqual(outcomes)
  expect(plan).toMatchObject(header)
  expect(plan.reply.status).toBe(200)
})

interface Wanted {
  readonly free: readonly (readonly [type: string, payload: string])[]
  readonly events?: number
  readonly outcomes?: readonly string[]
}
