import { expect, test } from 'vitest'
import { fieldCompletions } from './field-completions.ts'

const fields = [
  { name: 'assignee', alias_of: 'assigned', description: '' },
  { name: 'level', alias_of: null, description: 'How severe it is.' },
  { name: 'url', alias_of: null, description: '' },
  { name: 'is', alias_of: null, description: '' },
  { name: 'user.level', alias_of: null, description: '' },
]
const tags = [
  { key: 'plan', count: 1_204 },
  { key: 'level', count: 3 },
]
const names = (prefix: string) => fieldCompletions(fields, tags, prefix).map(({ text }) => text)

test('usual fields come first, other names of fields not at all', () => {
  expect(names('')).toEqual(['is', 'level', 'level', 'url', 'user.level', 'plan'])
  expect(names('lev')).toEqual(['level', 'level', 'user.level'])
  expect(names('ASSIGNEE')).toEqual(['assignee'])
  expect(names('zzz')).toEqual([])
})

test('a tag with the name of a field says so', () => {
  const [field, tag] = fieldCompletions(fields, tags, 'level')
  expect(field).toEqual({ text: 'level', detail: 'How severe it is.' })
  expect(tag).toEqual({ text: 'level', detail: 'Tag of 3 events', isTagLikeField: true })
})
