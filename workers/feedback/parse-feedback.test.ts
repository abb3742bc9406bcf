import { expect, test } from 'vitest'
import { scrubEvent } from '#platform/scrub/scrub-event.ts'
import { Scrubber } from '#platform/scrub/scrubber.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { defaultProjectSettings } from '#schemas/project-settings.ts'
import {
  type FeedbackRecord,
  messageCharactersMax,
  parseFeedback,
  pathOf,
} from './parse-feedback.ts'

const scrubber = new Scrubber(defaultProjectSettings.scrubbing)
const id = 'ab'.repeat(16)
const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455'

function parse(payload: unknown, header: FeedbackRecord['header'] = {}) {
  const record: FeedbackRecord = {
    projectId: 7 as ProjectId,
    recordId: id,
    receivedAtMs: 1_763_715_600_000,
    payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    header,
  }
  return parseFeedback(record, (object, notes) => scrubEvent(object, scrubber, notes))
}

const report = { item: 'user_report' }
const said = (context: object, fields: object = {}) => ({
  event_id: '0f'.repeat(16),
  contexts: { feedback: { message: 'slow', ...context } },
  ...fields,
})

// biome-ignore format: the columns are the point
test.each([
  ['a report',                 { event_id: eventId, name: 'Ada', email: 'ada@x.test', comments: ' it broke ' }, report, { id, message: 'it broke', type: 'Bug', source: 'Api', personName: 'Ada', personEmail: 'ada@x.test', eventId, version: null, path: null }],
  ['a report with nulls',      { event_id: eventId, name: null, email: null, comments: 'x' }, report, { personName: null, personEmail: null, eventId }],
  ['a report by its envelope', { comments: 'x' }, { ...report, envelope_id: eventId }, { eventId }],
  ['a report about nothing',   { comments: 'x' }, report, { eventId: null, type: 'Other' }],
  ['a feedback item',          said({ contact_email: 'a@x.test', name: 'A', source: 'widget', url: 'https://shop.test/cart?sid=1#x', associated_event_id: eventId }, { release: 'shop@1', environment: 'prod' }), {}, { id: '0f'.repeat(16), message: 'slow', type: 'Bug', source: 'Widget', path: '/cart', version: 'shop@1', environment: 'prod', personName: 'A', personEmail: 'a@x.test', eventId }],
  ['a page of the request',    said({}, { request: { url: 'https://shop.test/a/b' } }), {}, { path: '/a/b', type: 'Other', source: 'Api' }],
  ['a person of the event',    said({}, { user: { email: 'u@x.test', username: 'u' } }), {}, { personEmail: 'u@x.test', personName: 'u' }],
  ['an item without an id',    { contexts: { feedback: { message: 'x' } } }, { envelope_id: eventId }, { id: eventId }],
  ['an item with no id at all', { contexts: { feedback: { message: 'x' } } }, {}, { id }],
  ['a component key',          said({}), { component: 'web' }, { component: 'web' }],
  ['a long message',           said({ message: 'x'.repeat(messageCharactersMax + 1) }), {}, { message: expect.stringMatching(/^x{4000,}…?(?:\.\.\.)?$/) }],
  ['a secret in the message',  said({ message: 'my password=hunter2 fails' }), {}, { message: 'my password=[Filtered] fails' }],
] as const)('%s is read', (_name, payload, header, want) => {
  expect(parse(payload, header)).toMatchObject({ kind: 'feedback', feedback: want })
})

// biome-ignore format: the columns are the point
test.each([
  ['no JSON',              '{', {},                                        'invalid_json'],
  ['no object',            '[1]', {},                                      'invalid_feedback'],
  ['no message',           { contexts: { feedback: {} } }, {},             'invalid_feedback'],
  ['a blank message',      { contexts: { feedback: { message: ' \n' } } }, {}, 'invalid_feedback'],
  ['no comments',          { event_id: eventId }, report,                  'invalid_feedback'],
  ['comments that are a list', { comments: ['x'] }, report,                'invalid_feedback'],
] as const)('%s is refused', (_name, payload, header, reason) => {
  expect(parse(payload, header)).toEqual({ kind: 'rejected', reason })
})

// biome-ignore format: the columns are the point
test.each([
  ['https://a.test/b/c?d=e#f', '/b/c'],
  ['/b?c=d',                   '/b'],
  ['app:///index.html',        '/index.html'],
  ['http://[',                 ''],
  ['',                         ''],
])('the path of %s is %s', (url, want) => {
  expect(pathOf(url)).toBe(want)
})
