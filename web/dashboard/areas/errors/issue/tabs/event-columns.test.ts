import { expect, test } from 'vitest'
import { columnsAtFirst, readColumns, writeColumns } from './event-columns.ts'

// biome-ignore format: one case a line
test.each([
  [undefined,                     columnsAtFirst],
  ['none',                        []],
  ['level,tag:queue',             ['level', 'tag:queue']],
  ['level,level,nothing,',        ['level']],
  ['__proto__,constructor,level', ['level']],
  ['tag:a,tag:b,tag:c,tag:d,tag:e,tag:f,tag:g', ['tag:a', 'tag:b', 'tag:c', 'tag:d', 'tag:e', 'tag:f']],
])('%j shows %j', (text, columns) => {
  expect(readColumns(text)).toEqual(columns)
})

test('the columns that are shown at first are not in the address', () => {
  expect(writeColumns(columnsAtFirst)).toBeUndefined()
  expect(readColumns(writeColumns([]))).toEqual([])
  expect(readColumns(writeColumns(['user', 'tag:x']))).toEqual(['user', 'tag:x'])
})
