import { expect, test } from 'vitest'
import { parseStatusMap } from '../../../../../api/ideas/files/status-names.ts'
import { guessStatus, isMappable, statusMapText } from './status-map.ts'

test('the import reads what is written', () => {
  const map = { 'In QA': 'Started', 'a=b': 'Completed', 'Hm, well': 'Open' } as const
  const text = statusMapText(map)
  expect(text).toBe('In QA=Started,a=b=Completed')
  expect([...(parseStatusMap(text) ?? [])]).toEqual([
    ['in qa', 'Started'],
    ['a=b', 'Completed'],
  ])
})

test.each([
  ['In QA', true],
  ['', false],
  ['a,b', false],
  ['a=b', true],
])('%j can be mapped: %s', (name, expected) => {
  expect(isMappable(name)).toBe(expected)
})

test.each([
  ['In QA', 'Started'],
  ['Shipped', 'Completed'],
  ['Won’t do', 'Declined'],
  ['On the roadmap', 'Planned'],
  ['未定', 'Open'],
])('%s is proposed as %s', (name, status) => {
  expect(guessStatus(name)).toBe(status)
})
