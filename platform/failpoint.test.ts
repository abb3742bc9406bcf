import { expect, test } from 'vitest'
import { failpoint, formatFailpoints, parseFailpoints } from './failpoint.ts'

test('formatted failpoints are parsed back unchanged', () => {
  const text =
    'workers.after_insert=kill@3,ingest.after_ack=pause@1,workers.before_plan=delay:500@2,clock.read=shift:-86400000@7'
  const points = parseFailpoints(text)
  expect(points).toEqual([
    { name: 'workers.after_insert', action: { kind: 'kill' }, pass: 3 },
    { name: 'ingest.after_ack', action: { kind: 'pause' }, pass: 1 },
    { name: 'workers.before_plan', action: { kind: 'delay', ms: 500 }, pass: 2 },
    { name: 'clock.read', action: { kind: 'shift', ms: -86_400_000 }, pass: 7 },
  ])
  expect(formatFailpoints(points)).toBe(text)
})

test('without a pass, a failpoint acts on the first', () => {
  expect(parseFailpoints('ingest.after_ack=kill')).toEqual([
    { name: 'ingest.after_ack', action: { kind: 'kill' }, pass: 1 },
  ])
})

test.each([
  ['an unknown name', 'workers.somewhere=kill'],
  ['an unknown action', 'ingest.after_ack=explode'],
  ['a delay without a time', 'ingest.after_ack=delay'],
  ['a shift without a time', 'clock.read=shift:'],
  ['a pass of 0', 'ingest.after_ack=kill@0'],
  ['an empty entry', 'ingest.after_ack=kill,'],
])('%s is rejected, and the error quotes it', (_what, text) => {
  expect(() => parseFailpoints(text)).toThrow('SLUICE_FAILPOINTS: "')
})

test('without failpoints, nothing happens', () => {
  failpoint('ingest.after_ack')
})
