import { describe, expect, test } from 'vitest'
import { addColumnNames, missingNames } from './add-column-names.ts'
import { headOfText, readHead } from './read-head.ts'

describe('names of columns', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['are there',                       'email,name\na@b.test,Ada\n',  undefined],
    ['are there, with an @',            'e@mail,name\na@b.test,Ada\n', undefined],
    ['are missing above addresses',     'a@b.test\nc@d.test\n',        ['email']],
    ['are missing above two columns',   'Ada;a@b.test\nCy;c@d.test\n', ['column 1', 'email']],
    ['are no matter of JSON',           '[{"a@b.test": 1}]',           undefined],
    ['are not known without a line',    '',                            undefined],
  ])('%s', (_name, text, names) => {
    expect(missingNames(headOfText(text, true))).toEqual(names)
  })

  const utf16 = (text: string, isLittle: boolean) =>
    Uint8Array.from([
      ...(isLittle ? [0xff, 0xfe] : [0xfe, 0xff]),
      ...[...text].flatMap((one) => {
        const code = one.charCodeAt(0)
        return isLittle ? [code & 0xff, code >> 8] : [code >> 8, code & 0xff]
      }),
    ])
  const list = 'Zoë č\tz@b.test\nAda\ta@b.test\n'

  test.each([
    ['UTF-8', new TextEncoder().encode(list)],
    [
      'UTF-8 with a byte order mark',
      Uint8Array.from([0xef, 0xbb, 0xbf, ...new TextEncoder().encode(list)]),
    ],
    ['UTF-16, little-endian', utf16(list, true)],
    ['UTF-16, big-endian', utf16(list, false)],
  ])('are added in %s', async (_name, bytes) => {
    const file = new File([bytes], 'list.csv')
    const names = missingNames(await readHead(file)) ?? []
    const added = await addColumnNames(file, names)
    expect(added.name).toBe('list.csv')
    const { columns, rows } = await readHead(added)
    expect(columns).toEqual(['column 1', 'email'])
    expect(rows).toEqual([
      ['Zoë č', 'z@b.test'],
      ['Ada', 'a@b.test'],
    ])
  })

  test('are added to windows-1252 as well', async () => {
    const file = new File(
      [Uint8Array.from([...'J\u00fcrgen;j@b.test\n'].map((c) => c.charCodeAt(0)))],
      'l.csv',
    )
    const added = await addColumnNames(file, ['name', 'email'])
    const head = await readHead(added)
    expect(head.columns).toEqual(['name', 'email'])
    expect(head.rows).toEqual([['Jürgen', 'j@b.test']])
  })
})
