import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildEvent } from '../../test/fixtures/grouping/build-event.ts'
import { type CorpusEntry, recordEvent } from '../../test/fixtures/grouping/corpus.ts'

// When a row fails, a change has moved events to other issues. If that is meant, record the row
// again and say in the commit why.
const file = new URL('../../test/fixtures/grouping/g1-corpus.json', import.meta.url)
const corpus: readonly CorpusEntry[] = JSON.parse(readFileSync(file, 'utf8'))

test('the corpus is large and its names are unique', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(60)
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length)
})

test.each(corpus.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => {
  expect(recordEvent(buildEvent(entry.event))).toEqual(entry.want)
})
