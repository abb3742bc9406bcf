import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { RecordHeaders } from './record-headers.ts'

const id = '5f0c1d2e3a4b4c5d8e9f001122334455' as EventId
const sentAt = '2026-11-20T23:01:47.186Z'

// biome-ignore format: the columns are the point
test.each([
  ['nothing is empty     ', undefined,   '',         '',     undefined, ''],
  ['client               ', undefined,   'sdk/1',    '',     undefined, '{"client":"sdk/1"}'],
  ['SDK alone            ', undefined,   '',         'sdk',  undefined, '{"sdk":"sdk"}'],
  ['sent_at alone        ', undefined,   '',         '',     sentAt,    `{"sent_at":"${sentAt}"}`],
  ['all                  ', 'worker',    'sdk/1',    'sdk',  sentAt,    `{"component":"worker","client":"sdk/1","sdk":"sdk","sent_at":"${sentAt}"}`],
  ['quotes are escaped   ', 'a"b\\',     'c"\n',     'd"',   undefined, '{"component":"a\\"b\\\\","client":"c\\"\\n","sdk":"d\\""}'],
] as const)('a record header is JSON: %s', (_name, component, client, sdk, sent, want) => {
  const headers = new RecordHeaders()
  expect(headers.json(component, client, sdk, sent)).toBe(want)
  expect(headers.json(component, client, sdk, sent)).toBe(want)
})

test('component and client are not confused with each other', () => {
  const headers = new RecordHeaders()
  expect(headers.json(undefined, 'a', '', undefined)).toBe('{"client":"a"}')
  expect(headers.json('a', '', '', undefined)).toBe('{"component":"a"}')
})

test('a client name that contains another pair is not confused with it', () => {
  const headers = new RecordHeaders()
  expect(headers.json(undefined, 'a\nb', '', undefined)).toBe('{"client":"a\\nb"}')
  expect(headers.json('b', 'a', '', undefined)).toBe('{"component":"b","client":"a"}')
})

test('a client whose name is counted as `other` in one project keeps its own in another', () => {
  const headers = new RecordHeaders()
  for (const sdk of ['a', 'other', 'a']) {
    expect(headers.json('c', 'a/1', sdk, undefined)).toBe(
      `{"component":"c","client":"a/1","sdk":"${sdk}"}`,
    )
  }
})

test('headers are correct for more clients than the cache holds', () => {
  const headers = new RecordHeaders()
  for (let round = 0; round < 2; round += 1) {
    for (let at = 0; at < 5000; at += 1) {
      expect(headers.json(`c${at % 3}`, `${at}`, '', undefined)).toBe(
        `{"component":"c${at % 3}","client":"${at}"}`,
      )
    }
  }
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing                 ', '',                 undefined,     undefined, ''],
  ['nothing behind a header ', '{"client":"a/1"}', undefined,     undefined, '{"client":"a/1"}'],
  ['an item alone           ', '',                 'sessions',    undefined, '{"item":"sessions"}'],
  ['all                     ', '{"client":"a/1"}', 'user_report', id,        `{"client":"a/1","item":"user_report","envelope_id":"${id}"}`],
] as const)('the item type is appended to the header: %s', (_name, header, item, envelopeId, want) => {
  expect(new RecordHeaders().itemJson(header, item, envelopeId)).toBe(want)
})
