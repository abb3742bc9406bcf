import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSearch, queryBytesMax, type SearchNode } from './search-query.ts'

/**
 * A node in one line: `!field op value|value`, with stars where the pattern has them, or `"text"`,
 * or `or(node; node)`.
 */
function lineOf(term: SearchNode): string {
  const negation = term.isNegated ? '!' : ''
  if ('nodes' in term) {
    return `${negation}${term.kind}(${term.nodes.map(lineOf).join('; ')})`
  }
  if (term.kind === 'text') return `${negation}"${term.text}"`
  const values = term.values.map(({ pieces }) => pieces.join('*'))
  const field = term.isTag ? `tags[${term.field}]` : term.field
  return `${negation}${field} ${term.operator} ${values.join('|')}`
}

function linesOf(text: string): string[] {
  const query = parseSearch(text)
  if (query.kind === 'error') throw new Error(`${query.position}: ${query.rule}`)
  return query.terms.map(lineOf)
}

describe('a search', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['',                                  []],
    ['   ',                               []],
    ['level:error',                       ['level = error']],
    ['!environment:dev',                  ['!environment = dev']],
    ['times_seen:>100 age:<=3',           ['times_seen > 100', 'age <= 3']],
    ['release:app@1.2.3',                 ['release = app@1.2.3']],
    ['url:*checkout*',                    ['url = *checkout*']],
    ['path:C:\\dir\\*.log',               ['path = C:\\dir*.log']],
    ['path:a\\\\*b',                      ['path = a\\*b']],
    ['level:[error,fatal]',               ['level = error|fatal']],
    ['browser:["Internet Explorer", *fox]', ['browser = Internet Explorer|*fox']],
    ['user.email:ada@example.test',       ['user.email = ada@example.test']],
    ['title:"out of \\"memory\\""',       ['title = out of "memory"']],
    ['tags[level]:high',                  ['tags[level] = high']],
    ['is:unresolved has:user',            ['is = unresolved', 'has = user']],
    ['disk is full',                      ['"disk is full"']],
    ['disk  is level:error full',         ['"disk  is"', 'level = error', '"full"']],
    ['"disk is" "full"',                  ['"disk is"', '"full"']],
    ['disk !"is full"',                   ['"disk"', '!"is full"']],
    ['disk ! full',                       ['"disk ! full"']],
    ['http://example.test/a:b',           ['"http://example.test/a:b"']],
    ["');drop table issues;--",           ["\"');drop table issues;--\""]],
    ['100%',                              ['"100%"']],
    ['größe:1',                           ['größe = 1']],
    ['a:b:c',                             ['a = b:c']],
    ['timestamp:>=2026-11-20T10:00:00Z',  ['timestamp >= 2026-11-20T10:00:00Z']],
    ['a:1 OR b:2',                        ['or(a = 1; b = 2)']],
    ['a:1 b:2 OR c:3',                    ['or(and(a = 1; b = 2); c = 3)']],
    ['a:1 AND b:2 OR c:3 AND d:4',        ['or(and(a = 1; b = 2); and(c = 3; d = 4))']],
    ['a:1 AND b:2',                       ['a = 1', 'b = 2']],
    ['a:1 (b:2 OR c:3)',                  ['a = 1', 'or(b = 2; c = 3)']],
    ['(a:1 OR b:2) OR c:3',               ['or(a = 1; b = 2; c = 3)']],
    ['((a:1) (b:2 c:3)) d:4',             ['a = 1', 'b = 2', 'c = 3', 'd = 4']],
    ['!(a:1 b:2)',                        ['!and(a = 1; b = 2)']],
    ['!(a:1 OR b:2) c:3',                 ['!or(a = 1; b = 2)', 'c = 3']],
    ['!(!(a:1 OR b:2))',                  ['or(a = 1; b = 2)']],
    ['!(!a:1)',                           ['a = 1']],
    ['( a:1 )',                           ['a = 1']],
    ['(a:[1,2] OR b:"x y")',              ['or(a = 1|2; b = x y)']],
    ['disk full OR out of memory',        ['or("disk full"; "out of memory")']],
    ['(disk) full',                       ['"disk"', '"full"']],
    ['disk (full)',                       ['"disk"', '"full"']],
    ['a or b and c',                      ['"a or b and c"']],
    ['"OR" ORacle AND:1',                 ['"OR"', '"ORacle"', 'AND = 1']],
    ['a OR(b)',                           ['or("a"; "b")']],
    ['pay() failed',                      ['"pay() failed"']],
    ['() => x',                           ['"() => x"']],
    ['(title:pay() OR pay(x))',           ['or(title = pay(); "pay(x)")']],
    ['a) b:c) :(',                        ['"a)"', 'b = c)', '":("']],
    ['undefined (reading \'id\')',        ['"undefined"', '"reading \'id\'"']],
    ['times_seen:10..20',                 ['times_seen = 10..20']],
  ])('%j', (text, lines) => {
    expect(linesOf(text)).toEqual(lines)
  })

  test('returns the position of each term', () => {
    expect(parseSearch(' a b !level:>error')).toMatchObject({
      terms: [{ position: 1 }, { position: 5, valuePosition: 12 }],
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['level:',                 6, 6, 'must have a value after level:'],
    ['level:error release: x', 20, 20, 'must have a value after release:'],
    ['level:""',               6, 8, 'must have a value after level:'],
    ['level:>',                6, 7, 'must have a value after level:'],
    ['a "b',                   2, 4, 'must close each " with another one'],
    ['title:"b',               6, 8, 'must close each " with another one'],
    ['title:"b"c',             6, 9, 'must have white space after a quoted text'],
    ['level:[a,b',             6, 10, 'must close each [ with a ]'],
    ['level:[a,b]c',           11, 12, 'must have white space after a list'],
    ['level:[a,,b]',           6, 12, 'must have a value after level:'],
    ['level:[]',               6, 8, 'must have a value after level:'],
    ['""',                     0, 2, 'must have a text of at least one character'],
    ['a OR',                   4, 4, 'must have a term on both sides of OR'],
    ['OR a',                   0, 2, 'must have a term on both sides of OR'],
    ['a OR OR b',              5, 7, 'must have a term on both sides of OR'],
    ['a (b OR )',              8, 9, 'must have a term on both sides of OR'],
    ['a AND',                  5, 5, 'must have a term on both sides of AND'],
    ['AND a',                  0, 3, 'must have a term on both sides of AND'],
    ['a OR AND b',             5, 8, 'must have a term on both sides of AND'],
    ['a AND AND b',            6, 9, 'must have a term on both sides of AND'],
    ['a (b:1',                 2, 3, 'must close each ( with a )'],
    ['a ) b',                  2, 3, 'must open each ) with a ('],
    ['(a))',                   3, 4, 'must open each ) with a ('],
    ['( )',                    0, 1, 'must have a term in each ( )'],
    ['(a)b',                   3, 4, 'must have white space after a )'],
    ['('.repeat(900),          8, 9, 'must have at most 8 parentheses in each other'],
    ['!('.repeat(400),         17, 18, 'must have at most 8 parentheses in each other'],
    ['('.repeat(10_000),       1000, 1001, 'must have at most 1000 bytes in UTF-8'],
    ['x:1 '.repeat(31),        120, 123, 'must have at most 30 terms'],
    [`x:[${'1,'.repeat(100)}1]`, 2, 205, 'must list at most 100 values'],
    [`x:[${'1,'.repeat(60)}1] y:[${'1,'.repeat(60)}1]`, 128, 251, 'must list at most 100 values'],
    ['x'.repeat(queryBytesMax + 1), queryBytesMax, queryBytesMax + 1, 'must have at most 1000 bytes in UTF-8'],
    ['ü'.repeat(queryBytesMax / 2 + 1), queryBytesMax / 2, queryBytesMax / 2 + 1, 'must have at most 1000 bytes in UTF-8'],
  ])('%j is wrong at %i', (text, position, end, rule) => {
    expect(parseSearch(text)).toEqual({ kind: 'error', position, end, rule })
  })

  test('every text is parsed or its error is named', () => {
    const piece = fc.constantFrom(
      '"',
      '\\',
      '[',
      ']',
      ',',
      ':',
      '!',
      '(',
      ')',
      'OR',
      'AND',
      '*',
      '>',
      '=',
      ' ',
      'a',
      'is',
      'ü',
      '😀',
      '\n',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(text, (each) => {
        const query = parseSearch(each)
        if (query.kind === 'error') return query.position <= each.length
        return query.terms.every(({ position }) => position < each.length)
      }),
      { seed: 3, numRuns: 5_000 },
    )
  })

  test('parses every quoted value as it was', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 50 }), (value) => {
        const escaped = value.replace(/[\\*]/g, '\\$&').replaceAll('"', '\\"')
        expect(parseSearch(`tag:"${escaped}"`)).toMatchObject({
          terms: [{ field: 'tag', values: [{ pieces: [value] }] }],
        })
      }),
      { seed: 4, numRuns: 1_000 },
    )
  })
})
