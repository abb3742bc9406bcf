import { describe, expect, test } from 'vitest'
import type { EventId, ProjectId } from '#schemas/ids.ts'
import {
  checkInBytesMax,
  clientReportBytesMax,
  eventBytesMax,
  sessionItemBytesMax,
  sessionItemsPerEnvelopeMax,
} from '#schemas/limits.ts'
import { UnsupportedTypes } from '../intake/unsupported-types.ts'
import { planEnvelope } from './envelope-format.ts'
import { parseEnvelope } from './parse-envelope.ts'

const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
const otherId = 'aaaaaaaaaaaa4aaaaaaaaaaaaaaaaaaa'

function context() {
  const types = new UnsupportedTypes()
  let made = 0
  return {
    newEventId: () => `${++made}`.padStart(32, 'f') as EventId,
    unsupportedReason: (type: string) => types.reasonFor(7 as ProjectId, type),
  }
}
const firstMade = '1'.padStart(32, 'f')

function planOf(text: string) {
  const bytes = Buffer.from(text, 'latin1')
  const envelope = parseEnvelope(bytes)
  if (envelope.kind === 'malformed') return { status: 400 }
  const plan = planEnvelope(envelope, bytes, context())
  return {
    status: plan.reply.status,
    body: plan.reply.body,
    ids: plan.events.map((event) => event.eventId),
    free: plan.freeItems.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`),
    outcomes: plan.outcomes.map(({ outcome, reason, category }) =>
      [outcome, reason, category].filter((part) => part !== '').join(' '),
    ),
  }
}

const message = '{"message":"a"}'
const attachment = 'unsupported unsupported:attachment attachment'

// biome-ignore format: the columns are the point
test.each([
  ['an event without an id            ', `{}\n{"type":"event"}\n${message}`,
    { status: 200, ids: [firstMade], body: `{"id":"${firstMade}"}`, outcomes: [] }],
  ['a binary attachment, then an event', `{"event_id":"${id}"}\n{"type":"attachment","length":9}\n\x00\xffab\n\r\ncd\n{"type":"event","length":15}\n${message}\n`,
    { status: 200, ids: [id], body: `{"id":"${id}"}`, outcomes: [attachment] }],
  ['two empty attachments             ', '{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}\n',
    { status: 200, ids: [], body: '{}', outcomes: [attachment, attachment] }],
  ['an attachment without a length    ', '{}\n{"type":"attachment"}\nhelloworld', { status: 200, body: '{}', outcomes: [attachment] }],
  ['an attachment without a payload   ', '{}\n{"type":"attachment"}\n',           { status: 200, body: '{}', outcomes: [attachment] }],
  ['a length past the end             ', '{}\n{"type":"event","length":99}\n{}',  { status: 400 }],
  ['bytes after the length            ', '{}\n{"type":"event","length":2}\n{}x\n', { status: 400 }],
  ['a header alone                    ', '{}',                                    { status: 200, body: '{}', ids: [], outcomes: [] }],
  ['a header line alone               ', '{}\n',                                  { status: 200, body: '{}', ids: [], outcomes: [] }],
  ['no JSON                           ', 'not json\n{"type":"event"}\n{}',        { status: 400 }],
  ['a bad sent_at                     ', '{"sent_at":"nope"}\n{"type":"event"}\n{}', { status: 200, ids: [firstMade] }],
  ['an item without a type            ', '{}\n{"length":2}\n{}',                  { status: 400 }],
  ['an unknown type beside an event   ', `{}\n{"type":"flux_capacitor"}\n{}\n{"type":"event"}\n${message}`,
    { status: 200, ids: [firstMade], outcomes: ['unsupported unsupported:flux_capacitor unknown'] }],
  ['blank lines at the end            ', `{}\n{"type":"event"}\n${message}\n\n\n`, { status: 200, ids: [firstMade] }],
  ['a session and a client report     ', '{}\n{"type":"session"}\n{"sid":"1"}\n{"type":"client_report"}\n{"discarded_events":[]}',
    { status: 200, body: '{}', ids: [], outcomes: [], free: ['session {"sid":"1"}', 'client_report {"discarded_events":[]}'] }],
  ['a check-in and feedback           ', `{"event_id":"${id}"}\n{"type":"check_in"}\n{}\n{"type":"feedback"}\n{}`,
    { status: 200, body: `{"id":"${id}"}`, outcomes: [], free: ['check_in {}', 'feedback {}'] }],
  ['sessions and a user report        ', `{"event_id":"${id}"}\n{"type":"sessions"}\n{}\n{"type":"user_report"}\n[]`,
    { status: 200, body: '{}', outcomes: [], free: ['sessions {}', 'user_report []'] }],
  ['what cannot be JSON is the worker\'s to say', '{}\n{"type":"session"}\nnot json', { status: 200, outcomes: [], free: ['session not json'] }],
  ['a transaction alone               ', `{"event_id":"${id}"}\n{"type":"transaction"}\n{}`,
    { status: 200, body: `{"id":"${id}"}`, outcomes: ['unsupported unsupported:transaction transaction'] }],
  ['a transaction sent as an event    ', '{}\n{"type":"event"}\n{"type":"transaction"}', // The worker, who parses it, finds out.
    { status: 200, ids: [firstMade], outcomes: [] }],
  ['the header id wins over the payload', `{"event_id":"${id}"}\n{"type":"event"}\n{"event_id":"${otherId}"}`, { ids: [id] }],
  ['the payload id when the header has none', `{}\n{"type":"event"}\n{"event_id":"${otherId}"}`, { ids: [otherId], body: `{"id":"${otherId}"}` }],
  ['an unusable payload id            ', '{}\n{"type":"event"}\n{"event_id":"zzz"}', { ids: [firstMade] }],
  ['two events: each its own id       ', `{"event_id":"${id}"}\n{"type":"event"}\n{"event_id":"${otherId}"}\n{"type":"event"}\n{}`,
    { ids: [otherId, firstMade] }],
] as const)('an envelope is planned: %s', (_name, text, want) => {
  expect(planOf(text)).toMatchObject(want)
})

describe('size', () => {
  const big = 'x'.repeat(eventBytesMax + 1)

  test('an event at the limit is accepted, one byte more is refused', () => {
    expect(planOf(`{}\n{"type":"event"}\n${big.slice(1)}`)).toMatchObject({ status: 200 })
    expect(planOf(`{}\n{"type":"event"}\n${big}`)).toMatchObject({
      status: 413,
      outcomes: ['rejected too_large error'],
    })
  })

  test('only the oversized item is dropped when others are valid', () => {
    expect(planOf(`{}\n{"type":"event"}\n${big}\n{"type":"event"}\n{}`)).toMatchObject({
      status: 200,
      ids: [firstMade],
      outcomes: ['rejected too_large error'],
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['session',       sessionItemBytesMax,  'session'],
    ['sessions',      sessionItemBytesMax,  'session'],
    ['check_in',      checkInBytesMax,      'monitor'],
    ['client_report', clientReportBytesMax, 'internal'],
    ['feedback',      eventBytesMax,        'feedback'],
    ['user_report',   eventBytesMax,        'user_report_v2'],
  ] as const)('a %s of %i bytes is accepted, one byte more is refused', (type, bytesMax, category) => {
    const atLimit = 'x'.repeat(bytesMax)
    expect(planOf(`{}\n{"type":"${type}"}\n${atLimit}`)).toMatchObject({ status: 200, outcomes: [] })
    expect(planOf(`{}\n{"type":"${type}"}\n${atLimit}x`)).toMatchObject({
      status: 413,
      free: [],
      outcomes: [`rejected too_large ${category}`],
    })
  })

  test('the size of an item that is dropped anyway does not matter', () => {
    expect(planOf(`{}\n{"type":"attachment"}\n${big}`)).toMatchObject({ status: 200 })
  })

  test('sessions beyond the limit are refused one by one', () => {
    const count = sessionItemsPerEnvelopeMax + 2
    const { outcomes, free } = planOf(`{}\n${'{"type":"session"}\n{}\n'.repeat(count)}`)
    expect(outcomes).toEqual(new Array(2).fill('rejected too_many_items session'))
    expect(free).toHaveLength(sessionItemsPerEnvelopeMax)
  })
})
