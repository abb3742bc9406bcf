import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NewCampaign } from '#schemas/rest/email/campaign.ts'
import { freeSlug, slugOfSubject } from './archive-slug.ts'

const seed = 20_261_121

// biome-ignore format: the columns are the point
test.each([
  ['Hello, World!',              'hello-world'],
  ['Crème brûlée für Ömer',      'creme-brulee-fur-omer'],
  ['Straße & Søn',               'strasse-and-son'],
  ['Привет, мир',                'privet-mir'],
  ['Καλημέρα',                   'kalimera'],
  ['おはよう',                    'issue'],
  ['!!!',                        'issue'],
  ['Hi {{name | friend}}, news', 'hi-news'],
  ['Feed',                       'feed-issue'],
  ["Don't stop",                 'dont-stop'],
  ['x'.repeat(255),              'x'.repeat(94)],
])('%s is %s', (subject, want) => {
  expect(slugOfSubject(subject)).toBe(want)
})

test('every subject has a slug that a request may name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (subject) => {
      const archiveSlug = slugOfSubject(subject)
      const body = { newsletter: 'n', subject: 's', markdown: 'm', archiveSlug }
      return NewCampaign.safeParse(body).success && archiveSlug !== ''
    }),
    { seed, numRuns: 1_000 },
  )
})

test('a taken slug gets the first free number', () => {
  expect(freeSlug('a', new Set())).toBe('a')
  expect(freeSlug('a', new Set(['a', 'a-2', 'a-4', 'a-b']))).toBe('a-3')
})
