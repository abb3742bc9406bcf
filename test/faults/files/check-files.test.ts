import { describe, expect, test } from 'vitest'
import { eventIdOf } from '../../../bench/load/event-ids.ts'
import { fileOf, type PlannedProject } from '../plan-load.ts'
import { RoundLedger } from '../round-ledger.ts'
import { checkFiles, type StoredFiles } from './check-files.ts'
import type { StoredFile } from './read-files.ts'

const runId = '0123456789abcdef'
const project: PlannedProject = {
  ...{ role: 'unlimited', runId, eventCount: 9, monthlyEvents: null, issueEventsPerMinute: null },
  alertThreshold: 1,
}

/** Files of the events 1 and 2 were answered 200, that of 3 was not answered, and 4 has none. */
function ledger(): RoundLedger {
  const made = new RoundLedger(project)
  const items = { spoiled: 0, sessions: 0, transactions: 0 }
  for (const counter of [1, 2]) {
    const request = { ...items, events: [counter], hasFile: true }
    made.record(request, { kind: 'answered', status: 200 })
  }
  made.record({ ...items, events: [3], hasFile: true }, { kind: 'broken' })
  made.record({ ...items, events: [4] }, { kind: 'answered', status: 200 })
  return made
}

const file = (counter: number, change: Partial<StoredFile> = {}): StoredFile => ({
  ...{ eventId: eventIdOf(runId, counter), name: fileOf(counter).name },
  content: fileOf(counter).content,
  ...change,
})
const outcome = (name: string, quantity: number) => ({
  ...{ outcome: name, reason: '', category: 'attachment', quantity },
})
const stored = (files: readonly StoredFile[], refused = 0): StoredFiles => ({
  files,
  outcomes: [
    outcome('accepted', files.length),
    outcome('rejected', refused),
    { ...outcome('accepted', 9), category: 'error' },
  ],
})

test.each([
  ['both files', stored([file(1), file(2)])],
  ['the file without an answer as well', stored([file(1), file(2), file(3)])],
  ['a file that was refused', stored([file(1)], 1)],
])('nothing is found in %s', (_, found) => {
  expect(checkFiles(ledger(), found, false)).toEqual([])
})

describe('inconsistencies are found', () => {
  // biome-ignore format: the columns are the point
  test.each<[string, StoredFiles, RegExp]>([
    ['a lost file',                       stored([file(1)]),                                  /1 files were answered 200 and are not stored, 0 were refused: 2/],
    ['a file that is stored twice',       stored([file(1), file(2), file(2)]),                /the file of event 2 is stored twice/],
    ['a file without its object',         stored([file(1), file(2, { content: undefined })]), /event 2 cannot be read/],
    ['the content of another file',       stored([file(1), file(2, { content: 'order' })]),   /event 2 is another one/],
    ['the name of another file',          stored([file(1), file(2, { name: 'a.txt' })]),      /event 2 is another one/],
    ['a file that was never sent',        stored([file(1), file(2), file(4)]),                /is stored that was never sent/],
    ['a file of an unknown event',        stored([file(1), file(2), file(1, { eventId: 'f'.repeat(32) })]), /never sent/],
    ['an accepted file that is not there', { ...stored([file(1), file(2)]), outcomes: [outcome('accepted', 3)] }, /3 files are accepted, 2 are stored/],
  ])('%s', (_, found, finding) => {
    expect(checkFiles(ledger(), found, false).join('\n')).toMatch(finding)
  })
})

test('an older Postgres may lack files, and what it has is still right', () => {
  expect(
    checkFiles(ledger(), { files: [file(1)], outcomes: [outcome('accepted', 2)] }, true),
  ).toEqual([])
  expect(checkFiles(ledger(), stored([file(1, { content: undefined })]), true)).toHaveLength(1)
})
