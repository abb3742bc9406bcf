/**
 * Searches that nobody means well with, over real stores: each is answered, or refused with its
 * place, and what is negated is the other events.
 */
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { searchFields } from './search-fields.ts'

const api = apiOfThisFile()
const events = 6
let tenant: Tenant

/** Of its own for each test, because a token has a rate limit. */
beforeEach(async () => {
  tenant = await api().tenant('Hostile searches')
  await api().addIssue(tenant, { title: 'TypeError: x', level: 'error', hashes: ['h1'] })
  await api().addEvents(
    tenant,
    Array.from({ length: events }, (_, index) => ({
      id: `hostile${index}`,
      hash: 'h1',
      title: ['TypeError: x', '', '100% _', 'größe \\', "it's", '日本'][index]!,
      level: index % 2 === 0 ? 'error' : 'fatal',
      release: [
        '',
        'shop@1.0',
        'shop@2.0+7',
        'a b',
        '1',
        '4f3c2a1b99ff00aa4f3c2a1b99ff00aa4f3c2a1b',
      ][index]!,
      environment: index < 3 ? 'production' : '',
      tags: index === 0 ? {} : { queue: `q${index}`, 'a:b': '', level: 'high' },
      receivedAt: at(-5 - index),
    })),
  )
})

// biome-ignore format: a list of values
const values = [
  '', '*', '**', '\\*', '""', '"*"', '"', 'x', '0', '-1', '1', '1.5', '1e3', '1e309', '99999999999999999999', '9223372036854775808', '0x10', 'NaN', 'Infinity', '1..2', '2..1', '1..', '..2',
  'true', 'yes', 'no', 'none', 'me', '#', '#team', '-7d', '7d', '-99999999d', '0000-01-01', '9999-12-31T23:59:59Z', '2026-02-30', '275760-09-13', '1d..2d', '2026-11-20', 'latest', 'shop@latest', 'shop@', '@', '@1', 'shop@1.x',
  '[]', '[,]', '[x]', '[x, x]', '[x', 'x]', '[*, "a b"]', '(', ')', '()', "'", "' or 1=1 --", '\\', '\\\\', '%', '_', '{project:UInt64}', '\u202e', '\u200b', '\ud800', '\ufeff', '\uff45rror', '\u0435rror', 'İ', 'ß', '😀', 'a\u0301', '\t',
  '00000000-0000-0000-0000-000000000000', 'SHOP-1', 'SHOP-99999999999999', 'ann@find.test', '"a b"@x', '::1', '1.2.3.4/33', 'x'.repeat(300),
]
const value = fc.oneof(
  fc.constantFrom(...values),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.integer().map(String),
)
const names = [
  ...searchFields.map(({ name }) => name),
  ...[
    'is',
    'has',
    'tags[queue]',
    'tags[a:b]',
    'tags[level]',
    'queue',
    'tags[',
    'tags[]',
    'r\u0435lease',
    '__proto__',
  ],
]
const term = fc
  .record({
    name: fc.constantFrom(...names),
    operator: fc.constantFrom('', '', '', '=', '>', '>=', '<', '<=', '>>', '!'),
    isNegated: fc.boolean(),
    value,
  })
  .map(
    ({ name, operator, isNegated, value: text }) =>
      `${isNegated ? '!' : ''}${name}:${operator}${text}`,
  )
const query = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: term, weight: 6 },
    { arbitrary: value, weight: 1 },
    { arbitrary: fc.tuple(tie('any'), tie('any')).map((parts) => parts.join(' ')), weight: 1 },
    { arbitrary: fc.tuple(tie('any'), tie('any')).map((parts) => parts.join(' OR ')), weight: 1 },
    { arbitrary: tie('any').map((inner) => `(${inner})`), weight: 1 },
    { arbitrary: tie('any').map((inner) => `!(${inner})`), weight: 1 },
  ),
})).any as fc.Arbitrary<string>

const ask = (path: string, text: string) =>
  api().of(tenant, `/${path}?query=${encodeURIComponent(text.toWellFormed())}`)

function expectPlace(text: string, body: { details: { position: number; end: number }[] }): void {
  const [{ position, end } = { position: -1, end: -1 }] = body.details
  expect(position).toBeGreaterThanOrEqual(0)
  expect(position).toBeLessThanOrEqual(end)
  expect(end).toBeLessThanOrEqual(text.length)
}

test.each([1, 2, 3, 4])(
  'each is answered or refused with its place, and negation gives the others (%i)',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const issues = await ask('issues', text)
        expect([text, [200, 400].includes(issues.status)]).toEqual([text, true])
        const found = await ask('events', text)
        expect([text, [200, 400].includes(found.status)]).toEqual([text, true])
        if (found.status === 400) {
          const query = found.body.details.filter(
            ({ field }: { field: string }) => field === 'query',
          )
          if ('position' in query[0]) expectPlace(text, found.body)
          return
        }
        // Without a term, the parentheses are a text.
        if (text.trim() === '') return
        const others = await ask('events', `!(${text})`)
        // One more pair may be one too many.
        if (others.status === 400) return
        const ids = [...found.body.items, ...others.body.items].map(({ id }) => id)
        expect([text, new Set(ids).size, ids.length]).toEqual([text, events, events])
      }),
      { seed, numRuns: 90 },
    )
  },
)
