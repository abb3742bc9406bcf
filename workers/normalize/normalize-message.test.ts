import { expect, test } from 'vitest'
import { readMessage } from './normalize-message.ts'
import { Notes } from './values/notes.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a plain message                     ', { message: 'a' }, [undefined, 'a']],
  ['a plain logentry                    ', { logentry: 'a' }, [undefined, 'a']],
  ['the object as message               ', { message: { message: 'a %s', params: ['b'] } }, ['a %s', 'a b']],
  ['both given                          ', { logentry: { message: 'a %s', formatted: 'a c' } }, ['a %s', 'a c']],
  ['both equal                          ', { logentry: { message: 'a', formatted: 'a' } }, [undefined, 'a']],
  ['finished text in the other attribute', { logentry: { message: 'a %s' }, message: 'a b' }, ['a %s', 'a b']],
  ['named places                        ', { logentry: { message: '%(n)s is %(v)d', params: { n: 'x', v: 2 } } }, ['%(n)s is %(v)d', 'x is 2']],
  ['a percent sign                      ', { logentry: { message: '%d%% of %s', params: [5, 'b'] } }, ['%d%% of %s', '5% of b']],
  ['braces in order                     ', { logentry: { message: '{} and {}', params: [1, true] } }, ['{} and {}', '1 and true']],
  ['braces by number                    ', { logentry: { message: '{1}{0}', params: ['a', 'b'] } }, ['{1}{0}', 'ba']],
  ['braces by name                      ', { logentry: { message: '{n:>4}', params: { n: 'x' } } }, ['{n:>4}', 'x']],
  ['a place for a list                  ', { logentry: { message: 'x %s', params: [[1, { a: 2 }]] } }, ['x %s', 'x [1,{"a":2}]']],
  ['too few parameters                  ', { logentry: { message: '%s %s', params: ['a'] } }, [undefined, '%s %s']],
  ['too many parameters                 ', { logentry: { message: '%s', params: ['a', 'b'] } }, [undefined, '%s']],
  ['a name of Object.prototype          ', { logentry: { message: '{toString}', params: { a: 1 } } }, [undefined, '{toString}']],
  ['a number                            ', { message: 42 }, [undefined, '42']],
  ['an object somebody logged           ', { message: { code: 7 } }, [undefined, '{"code":7}']],
  ['the cut                             ', { message: 'x'.repeat(8193) }, [undefined, `${'x'.repeat(8191)}…`]],
] as const)('%s', (_name, sent, [template, formatted]) => {
  const read = readMessage({ logentry: undefined, message: undefined, ...sent }, new Notes())
  expect(read?.message).toEqual({ template, formatted })
})

test.each([[false], [null], [''], [{}], [{ message: null, params: [] }], [[]]])(
  '%j is no message',
  (message) => {
    expect(readMessage({ logentry: message, message }, new Notes())).toBeUndefined()
  },
)

test('a template with many placeholders and long values has a bounded result', () => {
  const params = { a: 'x'.repeat(8000) }
  const read = readMessage(
    { logentry: { message: '{a}'.repeat(2000), params }, message: undefined },
    new Notes(),
  )
  expect(read?.message.formatted.length).toBeLessThanOrEqual(8192)
})
