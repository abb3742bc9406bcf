import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax } from '#schemas/limits.ts'
import { decodeStore } from './decode-store.ts'
import { planStore } from './store-format.ts'

const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
const newId = 'f'.repeat(32) as EventId
const event = `{"event_id":"${id}","message":"a"}`

function planOfStore(body: Buffer) {
  const decoded = decodeStore(body)
  if (decoded.kind !== 'event') return decoded
  const plan = planStore(decoded, {
    newEventId: () => newId,
    unsupportedReason: (type) => `unsupported:${type}`,
  })
  return { text: decoded.bytes.toString(), ids: plan.events.map(({ eventId }) => eventId), plan }
}

// biome-ignore format: the columns are the point
test.each([
  ['JSON                ', Buffer.from(event)],
  ['JSON after space    ', Buffer.from(` \r\n\t${event}`)],
  ['base64 of JSON      ', Buffer.from(Buffer.from(event).toString('base64'))],
  ['base64 of zlib      ', Buffer.from(deflateSync(event).toString('base64'))],
  ['base64 in lines     ', Buffer.from(deflateSync(event).toString('base64').replace(/.{20}/g, '$&\r\n'))],
])('accepts %s', (_name, body) => {
  expect(planOfStore(body)).toMatchObject({ ids: [id] })
})

test('turns bare NaN and Infinity into null, but not inside strings', () => {
  const text = '{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \\" Infinity"}'
  expect(planOfStore(Buffer.from(text))).toMatchObject({
    text: '{"a":null,"b":[null,null],"c":"NaN \\" Infinity"}',
  })
})

test('answers a transaction with its id and counts it', () => {
  const body = Buffer.from(`{"type":"transaction","event_id":"${id}"}`)
  expect(planOfStore(body)).toMatchObject({
    ids: [],
    plan: {
      reply: { status: 200, body: `{"id":"${id}"}` },
      outcomes: [{ outcome: 'unsupported', reason: 'unsupported:transaction' }],
    },
  })
})

test('creates an id when the event has no valid one', () => {
  expect(planOfStore(Buffer.from('{"event_id":"nope"}'))).toMatchObject({ ids: [newId] })
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing         ', ''], ['space           ', ' \n'], ['null            ', 'null'],
  ['a list          ', '[1]'], ['a string        ', '"x"'], ['a number        ', '17'],
  ['broken JSON     ', '{"a":'], ['broken base64   ', 'eJxx!!'], ['base64 of noise ', 'AAAAAAAA'],
])('refuses %s', (_name, body) => {
  expect(planOfStore(Buffer.from(body))).toMatchObject({ kind: 'malformed' })
})

test('refuses an event over the limit, both plain and compressed', () => {
  const big = JSON.stringify({ message: 'x'.repeat(eventBytesMax) })
  expect(planOfStore(Buffer.from(big))).toEqual({ kind: 'too_large' })
  const packed = Buffer.from(deflateSync(big).toString('base64'))
  expect(planOfStore(packed)).toEqual({ kind: 'too_large' })
})
