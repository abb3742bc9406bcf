import { describe, expect, test } from 'vitest'
import { attachmentHeader, attachmentName, parseAttachmentRecord } from './attachment.ts'

describe('the name of a file', () => {
  test.each([
    ['screenshot.png', 'screenshot.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\log.txt', 'log.txt'],
    ['/', 'unnamed'],
    ['..', 'unnamed'],
    ['a/..', 'unnamed'],
    ['.', 'unnamed'],
    ['', 'unnamed'],
    ['a\0b\u001bc\nd', 'abc d'],
    ['\ud800x', '�x'],
    ['x'.repeat(10_000), 'x'.repeat(200)],
    [`a${'😀'.repeat(200)}`, `a${'😀'.repeat(99)}`],
    ['\u202egnp.exe', 'gnp.exe'],
    ['\u2066a\u2069', 'a'],
    ['\u200b\ufeff', 'unnamed'],
    ['ü'.repeat(150), 'ü'.repeat(150)],
    [7, 'unnamed'],
    [undefined, 'unnamed'],
    [{}, 'unnamed'],
  ])('%j is %j', (sent, want) => {
    expect(attachmentName(sent)).toBe(want)
  })
})

test.each([
  ['event.minidump', 'event.minidump'],
  ['unreal.logs', 'unreal.logs'],
  ['../x', 'event.attachment'],
  [`event.${'x'.repeat(100)}`, 'event.attachment'],
  [null, 'event.attachment'],
])('the type %j is %j', (type, want) => {
  expect(attachmentHeader({ name: 'a', type, contentType: undefined }).type).toBe(want)
})

test.each([
  ['image/png', 'image/png'],
  ['Text/Plain; charset=utf-8', 'text/plain'],
  ['text/html\r\nX-Header: 1', undefined],
  ['image', undefined],
  [7, undefined],
])('the content type %j is %j', (contentType, want) => {
  expect(attachmentHeader({ name: 'a', type: undefined, contentType }).contentType).toBe(want)
})

const record = {
  event_id: '5f0c1d2e3a4b4c5d8e9f001122334455',
  name: 'a.txt',
  type: 'event.attachment',
  size: 3,
  sha256: 'a'.repeat(64),
  stored_on: '2026-11-23',
}

test.each([
  ['as ingest writes it', record, true],
  ['a negative size', { ...record, size: -1 }, false],
  ['a path instead of a hash', { ...record, sha256: '../../etc/passwd' }, false],
  ['a path instead of a day', { ...record, stored_on: '../..' }, false],
  ['no event', { ...record, event_id: '' }, false],
  ['no object', null, false],
])('a record: %s', (_name, value, isValid) => {
  expect(parseAttachmentRecord(Buffer.from(JSON.stringify(value))) !== undefined).toBe(isValid)
})

test('a record that is no JSON', () => {
  expect(parseAttachmentRecord(Buffer.from('{'))).toBeUndefined()
})
