/** How the bytes of an envelope are parsed, case by case: items, ids and errors. */
import { describe, expect, test } from 'vitest'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import type { Accounting } from '../fixtures/test-project.ts'

const product = commonProduct()
const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455'
// Sessions that began too long ago are rejected.
const startedAt = new Date().toISOString()
const session = `{"sid":"${eventId}","started":"${startedAt}","attrs":{"release":"r"}}`
const oneEvent = '{}\n{"type":"event"}\n{"message":"a"}'
const madeId = /^\{"id":"[0-9a-f]{32}"\}$/
const accepted: Accounting = { 'accepted error': 1 }
const malformed: Accounting = { 'rejected malformed_envelope unknown': 1 }

interface Vector {
  readonly body: string
  readonly status: number
  /** A pattern, or the whole body. */
  readonly answer?: RegExp | string
  readonly accounting: Accounting
}

// biome-ignore format: the columns are the point
const vectors: readonly (readonly [name: string, vector: Vector])[] = [
  ['1: no line feed at the end', { body: oneEvent, status: 200, answer: madeId, accounting: accepted }],
  ['2: line feeds inside an attachment', { body: `{"event_id":"${eventId}"}\n{"type":"attachment","length":9}\n\x00\xffab\n\r\ncd\n{"type":"event","length":15}\n{"message":"a"}\n`, status: 200, answer: `{"id":"${eventId}"}`, accounting: { 'accepted error': 1, 'unsupported unsupported:attachment attachment': 1 } }],
  ['3: two empty items', { body: '{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}\n', status: 200, answer: '{}', accounting: { 'unsupported unsupported:attachment attachment': 2 } }],
  ['4: an implicit length', { body: '{}\n{"type":"attachment"}\nhelloworld', status: 200, answer: '{}', accounting: { 'unsupported unsupported:attachment attachment': 1 } }],
  ['5: an empty payload', { body: '{}\n{"type":"attachment"}\n', status: 200, answer: '{}', accounting: { 'unsupported unsupported:attachment attachment': 1 } }],
  ['6: a length beyond the end', { body: '{}\n{"type":"event","length":99}\n{}', status: 400, accounting: malformed }],
  ['7: no line feed after the length', { body: '{}\n{"type":"event","length":2}\n{}x\n', status: 400, accounting: malformed }],
  ['8: a header alone', { body: '{}', status: 200, answer: '{}', accounting: {} }],
  ['8: a header and a line feed', { body: '{}\n', status: 200, answer: '{}', accounting: {} }],
  ['9: a header that is not JSON', { body: 'not json\n{"type":"event"}\n{}', status: 400, accounting: malformed }],
  ['9: a header that is a list', { body: '[]\n{"type":"event"}\n{}', status: 400, accounting: malformed }],
  ['10: a header field of the wrong form', { body: '{"sent_at":"nope"}\n{"type":"event"}\n{}', status: 200, answer: madeId, accounting: accepted }],
  ['11: an item without a type', { body: '{}\n{"length":2}\n{}', status: 400, accounting: malformed }],
  ['12: an unknown item before the event', { body: `{}\n{"type":"flux_capacitor"}\n{}\n{"type":"event"}\n{"message":"a"}`, status: 200, answer: madeId, accounting: { 'accepted error': 1, 'unsupported unsupported:flux_capacitor unknown': 1 } }],
  ['13: line feeds at the end', { body: `${oneEvent}\n\n\n`, status: 200, answer: madeId, accounting: accepted }],
  ['14: a session and a client report', { body: `{}\n{"type":"session"}\n${session}\n{"type":"client_report"}\n{"discarded_events":[]}`, status: 200, answer: '{}', accounting: { 'accepted session': 1, 'accepted internal': 1 } }],
  ['an empty body', { body: '', status: 400, accounting: malformed }],
  ['garbage after the header', { body: '{}x\n{"type":"event"}\n{}', status: 400, accounting: malformed }],
  ['a second item header that is not JSON', { body: `${oneEvent}\nnope\n{}`, status: 400, accounting: malformed }],
  ['an item header at the end of the body', { body: '{}\n{"type":"session"}', status: 200, answer: '{}', accounting: { 'rejected invalid_json session': 1 } }],
  ['a length that is null', { body: '{}\n{"type":"event","length":null}\n{"message":"a"}', status: 200, answer: madeId, accounting: accepted }],
  ['a length below zero', { body: '{}\n{"type":"event","length":-1}\n{}', status: 400, accounting: malformed }],
  ['a length that is no number', { body: '{}\n{"type":"event","length":"15"}\n{"message":"a"}', status: 400, accounting: malformed }],
  ['an event that is not JSON', { body: '{}\n{"type":"event"}\n{"message":', status: 200, answer: madeId, accounting: { 'rejected invalid_json error': 1 } }],
  ['a transaction', { body: `{"event_id":"${eventId}"}\n{"type":"transaction"}\n{}`, status: 200, answer: `{"id":"${eventId}"}`, accounting: { 'unsupported unsupported:transaction transaction': 1 } }],
  ['an event over 1 MiB, alone', { body: `{}\n{"type":"event"}\n{"message":"${'x'.repeat(1024 * 1024)}"}`, status: 413, accounting: { 'rejected too_large error': 1 } }],
  ['an event over 1 MiB beside a valid one', { body: `${oneEvent}\n{"type":"event"}\n{"message":"${'x'.repeat(1024 * 1024)}"}`, status: 200, answer: madeId, accounting: { 'accepted error': 1, 'rejected too_large error': 1 } }],
  ['1,001 items', { body: `{}\n${'{"type":"event"}\n{}\n'.repeat(1001)}`, status: 413, accounting: { 'rejected too_many_items unknown': 1 } }],
  ['a header line over 16 KiB', { body: `{"x":"${'y'.repeat(17_000)}"}\n{"type":"event"}\n{}`, status: 400, accounting: malformed }],
]

describe('envelope framing', () => {
  test.concurrent.each(vectors)('%s', async (_name, { body, status, answer, accounting }) => {
    const project = await product().projectAtOnce('framing')
    const response = await project.send({ body: Buffer.from(body, 'latin1') })
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: answer === undefined ? expect.stringMatching(/^\{"detail":"/) : matching(answer),
    })
    await project.hasAccounting(accounting)
    await project.hasEvents(accounting['accepted error'] ?? 0)
  })

  test.concurrent('an envelope of 50 events stores each under its own id', async () => {
    const project = await product().projectAtOnce('fifty')
    const ids = Array.from({ length: 50 }, (_, at) => eventId.slice(0, 30) + String(at + 10))
    const items = ids.map((id) => `{"type":"event"}\n{"event_id":"${id}","message":"m"}\n`)
    const response = await project.send({ body: `{"event_id":"${eventId}"}\n${items.join('')}` })
    expect(response).toMatchObject({ status: 200, body: `{"id":"${eventId}"}` })
    await project.hasEvents(50)
    expect((await project.events()).map(({ id }) => id).toSorted()).toEqual(ids)
    await project.hasAccounting({ 'accepted error': 50 })
  })

  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['hex in the header',       `{"event_id":"${eventId}"}`,                              '{}', eventId],
    ['dashed, capitals',        '{"event_id":"5F0C1D2E-3A4B-4C5D-8E9F-001122334455"}',    '{}', eventId],
    ['in the payload alone',    '{}', `{"event_id":"${eventId}"}`,                              eventId],
    ['the header wins',         `{"event_id":"${eventId}"}`, `{"event_id":"${'a'.repeat(32)}"}`, eventId],
    ['all zeros',               `{"event_id":"${'0'.repeat(32)}"}`, '{}',                       undefined],
    ['not an id',               '{"event_id":"x"}', '{"event_id":7}',                           undefined],
  ])('event id: %s', async (_name, header, payload, wanted) => {
    const project = await product().projectAtOnce('ids')
    const response = await project.send({ body: `${header}\n{"type":"event"}\n${payload}` })
    const { id } = JSON.parse(response.body) as { id: string }
    expect(id).toMatch(wanted === undefined ? /^(?!0{32})[0-9a-f]{32}$/ : new RegExp(wanted))
    await project.hasEvents(1)
    expect((await project.events()).map((event) => event.id)).toEqual([id])
  })
})

function matching(answer: RegExp | string): unknown {
  return typeof answer === 'string' ? answer : expect.stringMatching(answer)
}
