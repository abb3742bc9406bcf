import { expect, test } from 'vitest'
import { messageSearch } from './message-search.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a word, by its beginning',     'cart',           "'cart':*",            '%cart%'],
  ['two words',                    ' slow  cart ',   "'slow' & 'cart':*",   '%slow  cart%'],
  ['what looks like an operator',  'a & !b | c:*',   "'a' & 'b' & 'c':*",   '%a & !b | c:*%'],
  ['quotes',                       `it's "it"`,      "'it' & 's' & 'it':*", `%it's "it"%`],
  ['wildcards of like',            '100%_\\',        "'100':*",             '%100\\%\\_\\\\%'],
  ['no word at all',               '!?',             null,                  '%!?%'],
  ['an emoji',                     '🛒',             null,                  '%🛒%'],
  ['a script without spaces',      '購物車',          "'購物車':*",           '%購物車%'],
])('%s', (_name, text, words, pattern) => {
  expect(messageSearch(text)).toEqual({ words, pattern })
})

test('blank text is no search', () => {
  expect([messageSearch(undefined), messageSearch(''), messageSearch(' \t')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('words after the tenth are ignored', () => {
  expect(messageSearch('w '.repeat(30))?.words?.split('&')).toHaveLength(10)
})
