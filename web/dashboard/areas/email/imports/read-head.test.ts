import { describe, expect, test } from 'vitest'
import { headOfText, readHead } from './read-head.ts'

describe('the head of a file', () => {
  test.each([
    [
      'a comma',
      'email,name\r\nada@example.com,Ada\r\n',
      ['email', 'name'],
      [['ada@example.com', 'Ada']],
    ],
    [
      'a semicolon',
      'E-Mail;Name\nada@example.com;"Love;lace"\n',
      ['E-Mail', 'Name'],
      [['ada@example.com', 'Love;lace']],
    ],
    ['a tab', 'email\tname\nada@example.com\tAda', ['email', 'name'], [['ada@example.com', 'Ada']]],
    [
      'quotes and line ends in a cell',
      'email,note\na@example.com,"a ""b""\nc"\n',
      ['email', 'note'],
      [['a@example.com', 'a "b"\nc']],
    ],
    ['a header only', 'email', ['email'], []],
    ['nothing', '', [], []],
    ['empty lines', '\n\nemail\n\na@example.com\n', ['email'], [['a@example.com']]],
  ])('CSV with %s', (_, text, columns, rows) => {
    expect(headOfText(text, true)).toEqual({ columns, rows, isJson: false })
  })

  test('a row that the head cuts off is left out', () => {
    const { rows } = headOfText('email,name\na@example.com,Ada\nb@exam', false)
    expect(rows).toEqual([['a@example.com', 'Ada']])
  })

  test('JSON, also cut off, with the columns of all objects', () => {
    const text = ' [{"email":"a@example.com","tags":["x"]},{"email":"{b","age":3},{"email":"c'
    expect(headOfText(text, false)).toEqual({
      columns: ['email', 'tags', 'age'],
      rows: [
        ['a@example.com', '["x"]', ''],
        ['{b', '', '3'],
      ],
      isJson: true,
    })
  })

  test.each(['[', '[}', '[1,2]', '[{"a":', '["{"]'])('broken JSON %s is no columns', (text) => {
    expect(headOfText(text, false).rows).toEqual([])
  })

  test('encodings', async () => {
    const latin = new Blob([
      Uint8Array.from([...Buffer.from('email,name\na@example.com,Zo', 'latin1'), 0xeb]),
    ])
    expect((await readHead(latin)).rows).toEqual([['a@example.com', 'Zoë']])
    const wide = new Blob([Buffer.from('\uFEFFemail\nzoë@example.com\n', 'utf16le')])
    expect(await readHead(wide)).toMatchObject({ columns: ['email'], rows: [['zoë@example.com']] })
    const marked = new Blob([Buffer.from('\uFEFFemail\na@example.com\n')])
    expect((await readHead(marked)).columns).toEqual(['email'])
  })

  test('100 MB are not read', async () => {
    const big = new Blob(['email\n', 'a@example.com\n'.repeat(10_000)])
    const slices: number[] = []
    const file = new Proxy(big, {
      get: (target, name) =>
        name === 'slice'
          ? (from: number, to: number) => {
              slices.push(to - from)
              return target.slice(from, to)
            }
          : name === 'size'
            ? target.size
            : undefined,
    })
    expect((await readHead(file)).rows).toHaveLength(3)
    expect(slices).toEqual([65_536])
  })
})
