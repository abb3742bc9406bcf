import { expect, test } from 'vitest'
import { CompiledEmail, fillEmail, type Part } from './compiled-email.ts'

const value = (name: string, fallback = ''): Part => ({ value: name, fallback, context: 'text' })

// biome-ignore format: the columns are the point
test.each([
  ['a text',                     { x: 'a' },               'a'],
  ['a number',                   { x: 1.5 },               '1.5'],
  ['zero, which is a value',     { x: 0 },                 '0'],
  ['false, which is a value',    { x: false },             'false'],
  ['null',                       { x: null },              'there'],
  ['a blank text',               { x: ' \n' },             'there'],
  ['nothing',                    {},                       'there'],
  ['an object, which cannot be rendered', { x: { a: 1 } },   'there'],
  ['another placeholder, which is not expanded', { x: '{{name}}' }, '{{name}}'],
])('an attribute that is %s', (_name, attribs, want) => {
  const email = { subject: [], html: [], text: [value('attr.x', 'there')] }
  expect(fillEmail(email, { name: 'Ada', attribs }).text).toBe(want)
})

test('properties that every JavaScript object has are not attributes of a contact', () => {
  const parts = ['attr.constructor', 'attr.__proto__', 'attr.toString'].map((name) => value(name))
  expect(fillEmail({ subject: [], html: [], text: parts }, { attribs: {} }).text).toBe('')
})

test('a subject is one line of limited length, cut between characters', () => {
  const email = { subject: ['a\r\nb ', value('name')], html: [], text: [] }
  const { subject } = fillEmail(email, { name: `${'x'.repeat(895)}😀😀` })
  expect(subject.length).toBe(899)
  expect(subject.isWellFormed()).toBe(true)
  expect(subject.startsWith('a b x')).toBe(true)
})

test('links belong to the contact, and are escaped in HTML but not in text', () => {
  const email: CompiledEmail = {
    subject: [],
    html: [
      { link: 'unsubscribe', context: 'attribute' },
      ' ',
      { link: 'click', index: 7, context: 'attribute' },
    ],
    text: [{ link: 'unsubscribe', context: 'text' }],
  }
  const links = { unsubscribe: 'u?a=1&b=2', preferences: 'p', openPixel: 'o', clickBase: 'c/t' }
  expect(fillEmail(email, { links })).toEqual({
    subject: '',
    html: 'u?a=1&amp;b=2 c/t/7',
    text: 'u?a=1&b=2',
  })
  expect(() => fillEmail(email, {})).toThrow('unsubscribe')
})

test('an email is unchanged after it was stored as JSON', () => {
  const email: CompiledEmail = {
    subject: ['a', value('name', 'b')],
    html: [{ link: 'click', index: 0, context: 'attribute' }],
    text: [],
  }
  expect(CompiledEmail.parse(JSON.parse(JSON.stringify(email)))).toEqual(email)
  expect(
    CompiledEmail.safeParse({
      ...email,
      html: [{ value: 'attr.a b', fallback: '', context: 'html' }],
    }).success,
  ).toBe(false)
})
