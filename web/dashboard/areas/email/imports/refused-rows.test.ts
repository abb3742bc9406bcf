import { expect, test } from 'vitest'
import { refusedRowsAsCsv } from './refused-rows.ts'

test('refused rows as CSV, with quotes and without formulas', () => {
  const rows = [
    { line: 2, field: 'email', rule: 'must be an address' },
    { line: 3, field: 'attribs.a,b', rule: 'must not be "x"' },
    { line: 4, field: '=1+1', rule: '@cmd\nnext' },
  ]
  expect(refusedRowsAsCsv(rows)).toBe(
    'line,field,reason\r\n2,email,must be an address\r\n3,"attribs.a,b","must not be ""x"""\r\n4,\'=1+1,"\'@cmd\nnext"\r\n',
  )
  expect(refusedRowsAsCsv([])).toBe('line,field,reason\r\n')
})
