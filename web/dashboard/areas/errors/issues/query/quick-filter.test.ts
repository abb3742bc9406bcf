import { expect, test } from 'vitest'
import { type FilterName, readFilter, writeFilter } from './quick-filter.ts'

test.each<[string, FilterName, string[], boolean]>([
  ['is:unresolved level:error', 'status', ['unresolved'], false],
  ['is:unresolved level:error', 'level', ['error'], false],
  ['level:[error, fatal]', 'level', ['error', 'fatal'], false],
  ['!environment:dev', 'environment', ['dev'], true],
  ['is:assigned', 'status', [], false],
  ['assignee:ada@example.test', 'assignee', ['ada@example.test'], false],
  ['tags[level]:high', 'level', [], false],
  ['out of memory', 'status', [], false],
])('%j has the filter %s %j', (query, name, values, isNegated) => {
  expect(readFilter(query, name)).toEqual({ values, isNegated })
})

test.each<[string, FilterName, string | undefined, string]>([
  ['', 'level', 'error', 'level:error'],
  ['is:unresolved', 'level', 'error', 'is:unresolved level:error'],
  ['is:unresolved crash', 'status', 'resolved', 'is:resolved crash'],
  ['is:unresolved crash', 'status', undefined, 'crash'],
  ['level:error  x level:fatal', 'level', 'info', 'level:info x'],
  ['!environment:dev', 'environment', 'dev', 'environment:dev'],
  ['is:unresolved is:assigned', 'status', undefined, 'is:assigned'],
  ['"a  b"', 'release', 'my app@1', '"a  b" release:"my app@1"'],
  ['assignee:none', 'assignee', '#server', 'assigned:#server'],
  ['level:error OR is:new', 'level', 'fatal', '(level:error OR is:new) level:fatal'],
  ['level:error OR is:new', 'level', undefined, 'level:error OR is:new'],
  ['x AND level:error', 'level', undefined, 'x AND level:error'],
  ['is:new (level:error  OR x)', 'level', 'fatal', 'is:new (level:error OR x) level:fatal'],
  ['level:info (level:error OR x)', 'level', 'fatal', 'level:fatal (level:error OR x)'],
])('%j with the filter %s %j', (query, name, value, expected) => {
  const changed = writeFilter(query, name, value)
  expect(changed).toBe(expected)
  expect(readFilter(changed, name)).toEqual({
    values: value === undefined ? [] : [value],
    isNegated: false,
  })
})
