import { describe, expect, test } from 'vitest'
import {
  attribKeyOf,
  automaticMeaning,
  columnsNamedIn,
  type Meaning,
  mappingOf,
  othersAsAttributes,
} from './column-meaning.ts'

describe('the mapping of columns', () => {
  test('columns that are recognized by name are left out', () => {
    expect(mappingOf(['email', 'name'], {})).toBeUndefined()
    expect(mappingOf(['email', 'name'], { email: '' })).toBeUndefined()
  })

  test('every meaning', () => {
    const columns = ['E-Mail', 'First', 'Last', 'City', 'city', 'Opt out', 'gdpr', 'State', 'From']
    const chosen: Record<string, Meaning> = {
      'E-Mail': 'email',
      First: 'name',
      Last: 'name',
      City: 'attribute',
      city: 'attribute',
      'Opt out': 'unsubscribed',
      gdpr: 'ignore',
      State: 'status',
      From: 'source',
    }
    expect(mappingOf(columns, chosen)).toEqual({
      email: 'E-Mail',
      name: ['First', 'Last'],
      attribs: { City: 'City', city: 'city' },
      unsubscribed: ['Opt out'],
      ignore: ['gdpr'],
      status: 'State',
      source: 'From',
    })
  })

  test('two columns do not share a key, and names of objects are harmless', () => {
    const chosen: Record<string, Meaning> = { 'a b': 'attribute', 'a/b': 'attribute' }
    expect(mappingOf(['a b', 'a/b', 'constructor', '__proto__'], chosen)).toEqual({
      attribs: { a_b: 'a b', a_b_2: 'a/b' },
    })
  })

  test.each([
    ['Favourite colour', 'Favourite_colour'],
    ['Größe', 'Gro_e'],
    ['日本', 'column'],
    ['x'.repeat(300), 'x'.repeat(64)],
    ['', 'column'],
  ])('%s has the key %s', (column, key) => {
    expect(attribKeyOf(column)).toBe(key)
  })

  test.each([
    ['E-Mail', 'Email'],
    ['emailAddress', 'Email'],
    ['Full name', 'Name'],
    ['attr.city', 'Attribute'],
    ['City', 'Not imported'],
  ])('without a mapping %s is: %s', (column, meaning) => {
    expect(automaticMeaning(column, [column])).toBe(meaning)
  })

  test('exports of services are left to the API', () => {
    const columns = ['Email Address', 'City', 'MEMBER_RATING']
    expect(automaticMeaning('City', columns)).toBe('As this service means it')
    expect(othersAsAttributes(columns, {})).toEqual({})
  })

  test('what may be an opt-out does not become an attribute with the others', () => {
    const optOuts = [
      'Opt-Out',
      'unsubscribed',
      'State',
      'GDPR',
      'do_not_mail',
      'aktiv',
      'bounced_at',
    ]
    const columns = ['email', 'City', 'Plan', 'Team', '', ...optOuts]
    expect(othersAsAttributes(columns, { Plan: 'ignore' })).toEqual({
      City: 'attribute',
      Team: 'attribute',
    })
  })

  test('finds the columns of an error', () => {
    const rule = 'must say what the column "Opt out" means, because it looks like an opt-out'
    expect(columnsNamedIn(rule, ['Opt out', 'out', 'email', ''])).toEqual(['Opt out'])
  })
})
