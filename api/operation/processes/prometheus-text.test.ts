import { expect, test } from 'vitest'
import { parsePrometheus } from './prometheus-text.ts'

const read = (text: string) =>
  [...parsePrometheus(text)].flatMap(([name, samples]) =>
    samples.map(({ labels, value }) => [name, Object.fromEntries(labels), value]),
  )

// biome-ignore format: the columns are the point
test.each([
  ['a plain sample',               'up 1',                                [['up', {}, 1]]],
  ['comments and empty lines',     '# HELP up x\n# TYPE up gauge\n\nup 2', [['up', {}, 2]]],
  ['labels',                       'a{b="c",d="e"} 3',                    [['a', { b: 'c', d: 'e' }, 3]]],
  ['a comma after the last label', 'a{b="c",} 3',                         [['a', { b: 'c' }, 3]]],
  ['no labels in braces',          'a{} 3',                               [['a', {}, 3]]],
  ['spaces',                       'a{ b = "c" , d="e" }  3  ',           [['a', { b: 'c', d: 'e' }, 3]]],
  ['a brace and a quote in a label', 'a{b="}\\"{"} 1',                    [['a', { b: '}"{' }, 1]]],
  ['escapes',                      'a{b="x\\\\y\\nz"} 1',                 [['a', { b: 'x\\y\nz' }, 1]]],
  ['a time',                       'a 1 1700000000000',                   [['a', {}, 1]]],
  ['exponents',                    'a 1.5e+3\nb -2E-1',                   [['a', {}, 1500], ['b', {}, -0.2]]],
  ['infinity and NaN',             'a +Inf\nb -Inf\nc NaN',               [['a', {}, Infinity], ['b', {}, -Infinity], ['c', {}, NaN]]],
  ['line ends of Windows',         'a 1\r\nb 2\r\n',                      [['a', {}, 1], ['b', {}, 2]]],
  ['names of an object',           '__proto__{__proto__="x"} 1',          [['__proto__', { ['__proto__']: 'x' }, 1]]],
] as const)('reads %s', (_what, text, want) => {
  expect(read(text)).toEqual(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['no value',               'a'],
  ['an invalid value',      'a one'],
  ['hexadecimal',            'a 0x10'],
  ['an open quote',          'a{b="c} 1'],
  ['an open brace',          'a{b="c" 1'],
  ['no comma',               'a{b="c"d="e"} 1'],
  ['an invalid name',        '9a 1'],
  ['HTML',                   '<html><body>502</body></html>'],
  ['control characters',     '\u001b[2J 1'],
  ['words behind the value', 'a 1 soon'],
  ['an endless line',        `a{b="${'x'.repeat(20_000)}"} 1`],
  ['too many labels',        `a{${Array.from({ length: 40 }, (_, i) => `l${i}="x"`).join(',')}} 1`],
] as const)('leaves out a line with %s, and reads the next', (_what, line) => {
  expect(read(`${line}\nup 1`)).toEqual([['up', {}, 1]])
})

test('the number of samples is bounded', () => {
  const samples = parsePrometheus('a 1\n'.repeat(60_000)).get('a')
  expect(samples).toHaveLength(50_000)
})

test('a line of quotes and backslashes takes no longer than its length', () => {
  expect(read(`a{b="${'\\'.repeat(15_000)}\n`.repeat(200))).toEqual([])
})
