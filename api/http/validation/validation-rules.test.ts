/**
 * The sentences for every violation that a schema reports: no text of the validator reaches a
 * client.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { invalidFields } from './invalid-field.ts'
import { checkValue } from './validation-rules.ts'

const limit = z.coerce.number().int().min(1).max(100)

// biome-ignore format: the columns are the point
const rows: readonly (readonly [name: string, schema: z.ZodType, value: unknown, rule: string])[] = [
  // invalid_type
  ['a missing field',          z.string(),                               undefined,       'is required'],
  ['no string',                z.string(),                               5,               'must be a string'],
  ['no boolean',               z.boolean(),                              'yes',           'must be true or false'],
  ['no object',                z.object({}),                             [],              'must be an object'],
  ['no record',                z.record(z.string(), z.string()),         'x',             'must be an object'],
  ['no array',                 z.array(z.string()),                      {},              'must be an array'],
  ['no tuple',                 z.tuple([z.string()]),                    'x',             'must be an array'],
  ['not null',                 z.null(),                                 1,               'must be null'],
  ['no date',                  z.date(),                                 'x',             'must be a date'],
  ['a number in a text',       limit,                                    'many',          'must be a whole number from 1 to 100'],
  ['an infinite number',       z.number().min(0),                        Infinity,        'must be a number of at least 0'],
  ['a plain number',           z.number(),                               '5',             'must be a number'],
  ['never',                    z.never(),                                1,               'must be left out'],
  // too_big, too_small
  ['below the range',          limit,                                    '0',             'must be a whole number from 1 to 100'],
  ['above the range',          limit,                                    '101',           'must be a whole number from 1 to 100'],
  ['a fraction',               limit,                                    '1.5',           'must be a whole number from 1 to 100'],
  ['not above',                z.number().gt(0),                         0,               'must be a number greater than 0'],
  ['not below',                z.number().lt(9),                         9,               'must be a number less than 9'],
  ['above 2^53',               z.int(),                                  2 ** 60,         'must be a whole number'],
  ['a long text',              z.string().max(3),                        'abcd',          'must have at most 3 characters'],
  ['an empty text',            z.string().min(1),                        '',              'must not be empty'],
  ['a short text',             z.string().min(8),                        'abc',           'must have at least 8 characters'],
  ['another length',           z.string().length(2),                     'abc',           'must have exactly 2 characters'],
  ['one character',            z.string().max(1),                        'ab',            'must have at most 1 character'],
  ['an empty list',            z.array(z.string()).min(1),               [],              'must not be empty'],
  ['a long list',              z.array(z.string()).max(1),               ['a', 'b'],      'must have at most 1 item'],
  ['a late date',              z.date().max(new Date(0)),                new Date(1),     'must not be later than 1970-01-01T00:00:00.000Z'],
  ['a large bigint',           z.bigint().max(5n),                       6n,              'must be at most 5'],
  // invalid_format
  ['no address',               z.email(),                                'x',             'must be an email address'],
  ['no URL',                   z.url(),                                  'x',             'must be a URL'],
  ['no UUID',                  z.uuid(),                                 'x',             'must be a UUID'],
  ['no GUID',                  z.guid(),                                 'x',             'must be a UUID'],
  ['no time',                  z.iso.datetime(),                         'x',             'must be a date and time with an offset, such as 2026-11-21T01:02:03Z'],
  ['no day',                   z.iso.date(),                             'x',             'must be a date, such as 2026-11-21'],
  ['no IPv4',                  z.ipv4(),                                 'x',             'must be an IPv4 address'],
  ['another prefix',           z.string().startsWith('emk_'),            'x',             'must begin with "emk_"'],
  ['another end',              z.string().endsWith('.test'),             'x',             'must end with ".test"'],
  ['not within',               z.string().includes('@'),                 'x',             'must contain "@"'],
  ['another pattern',          z.string().regex(/^a$/),                  'x',             'does not have the expected form'],
  // not_multiple_of, invalid_value, unrecognized_keys
  ['no multiple',              z.number().multipleOf(5),                 7,               'must be a multiple of 5'],
  ['none of the words',        z.enum(['hour', 'day']),                  'week',          'must be one of hour, day'],
  ['another literal',          z.literal(true),                          false,           'must be true'],
  ['an unknown field',         z.strictObject({ label: z.string() }),    { label: 'x', lable: 'y' }, 'unknown field. Did you mean `label`?'],
  // invalid_union
  ['no option at all',         z.union([z.string(), z.number(), z.null()]), true,         'must be a string, or a number, or null'],
  ['a word or an id',          z.union([z.literal('none'), z.uuid()]),   'x',             'must be a UUID'],
  ['an unknown kind',          z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]), { kind: 'c' }, 'must have one of the forms that the documentation lists'],
  // invalid_key, invalid_element, custom
  ['a key that is too long',   z.record(z.string().max(2), z.string()),  { abc: 'x' },    'has a key that is not allowed: it must have at most 2 characters'],
  ['a key with its own rule',  z.record(z.string().regex(/^a$/, 'must be a'), z.string()), { b: 'x' }, 'has a key that is not allowed: it must be a'],
  ['an element of a set',      z.map(z.string(), z.string().max(1)),     new Map([['a', 'xx']]), 'must have at most 1 character'],
  ['under a key of a map',     z.map(z.date(), z.string().max(1)),       new Map([[new Date(0), 'xx']]), 'has an element that is not allowed: it must have at most 1 character'],
  ['a refinement',             z.string().refine(() => false),           'x',             'is not valid'],
  ['a rule of the schema',     z.string().refine(() => false, 'must be lucky'), 'x',      'must be lucky'],
  ['a message of the schema',  z.string('must be text'),                 5,               'must be text'],
]

test.each(rows)('%s', (_name, schema, value, rule) => {
  const checked = checkValue(z.object({ field: schema }), { field: value }, 'body')
  expect(checked).toMatchObject({ success: false })
  if (checked.success) return
  expect(checked.errors[0].rule).toBe(rule)
  expect(checked.errors[0].field).toMatch(/^field/)
})

test('the rows cover every kind of issue that zod has', () => {
  const kinds = new Set<string>()
  for (const [, schema, value] of rows) {
    for (const { code } of schema.safeParse(value).error?.issues ?? []) kinds.add(code)
  }
  expect([...kinds].sort()).toEqual([
    'custom',
    'invalid_element',
    'invalid_format',
    'invalid_key',
    'invalid_type',
    'invalid_union',
    'invalid_value',
    'not_multiple_of',
    'too_big',
    'too_small',
    'unrecognized_keys',
  ])
})

test('an error names the field of the closest option, and the name of the whole value', () => {
  const Body = z.object({
    settings: z.union([
      z.string(),
      z.object({ name: z.string().min(1), size: z.int().min(1).max(9) }),
    ]),
  })
  const inner = checkValue(Body, { settings: { name: 'x', size: 10 } }, 'body')
  expect(inner).toMatchObject({
    errors: [{ field: 'settings.size', rule: 'must be a whole number from 1 to 9' }],
  })
  expect(checkValue(Body, null, 'body')).toMatchObject({
    errors: [{ field: 'body', rule: 'must be an object' }],
  })
})

test('the sentence names the field and ends as one', () => {
  expect(invalidFields([{ field: 'limit', rule: 'must be a number' }]).message).toBe(
    '`limit`: must be a number.',
  )
  expect(invalidFields([{ field: 'a', rule: 'unknown field. Did you mean `b`?' }]).message).toBe(
    '`a`: unknown field. Did you mean `b`?',
  )
})
