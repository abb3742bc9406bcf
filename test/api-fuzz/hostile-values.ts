/** Hostile values for every position of a request. */
import type { Random } from '../fixtures/random.ts'

const forged = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url')
const id = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'

export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\u0001\u001b[31m',
  '\u202eabc\u202c',
  '\u200b\ufeff',
  'x'.repeat(300),
  '😀'.repeat(500),
  'x'.repeat(12_000),
  'e\u0301'.repeat(400),
  "'; drop table people; --",
  '%',
  '%00',
  '%_\\',
  '../../etc/passwd',
  '..%2f..%2f',
  '{{name}}',
  '{{#each}}{{{x}}}',
  '<script>alert(1)</script>',
  '\r\nX-Injected: 1',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-1',
  '1e309',
  '99999999999999999999',
  '2147483648',
  '9223372036854775808',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-02-30T00:00:00Z',
  '2026-11-21T00:00:00+21:40',
  '2026-11-21T00:00:00-23:59',
  '2026-11-21T24:00:00Z',
  '2026-11-21T01:02:03.123456789012345678Z',
  '-000001-01-01T00:00:00Z',
  'infinity',
  'a@b',
  `${'x'.repeat(64)}@${'y'.repeat(63)}.test`,
  'ünï@exämple.test',
  '"a b"@example.test',
  'http://',
  'https://user:pass@[::1]:99999/',
  '::ffff:0:0',
  '999.999.999.999',
  id,
  '00000000-0000-0000-0000-000000000000',
  forged([]),
  forged(null),
  forged([9_007_199_254_740_991, id]),
  forged([-9_007_199_254_740_991, id]),
  forged(['count', 9_007_199_254_740_991, id]),
  forged(['last_seen', '0000-01-01T00:00:00Z', id]),
  forged(['0001-01-01T00:00:00Z', id]),
  forged(['2026-11-21T00:00:00+21:40', id]),
  forged([1, '2026-11-21T00:00:00Z', id]),
  forged(['2026-11-21T00:00:00Z', '\0']),
  forged(['\0']),
  forged([id]),
  forged(['2026-11-21T00:00:00Z', id]),
  'is:unresolved level:(',
  'times_seen:>99999999999999999999',
  'first_seen:>0000-01-01',
  'first_seen:<9999-12-31T23:59:59-23:59',
  'last_seen:-999999w',
  '!has:"\\u0000"',
  '*'.repeat(200),
  '/(a+)+$/',
  '((((((((((',
]

export const hostileNumbers: readonly number[] = [
  0,
  -0,
  -1,
  1.5,
  32_768,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  1e21,
  1e308,
  5e-324,
]

/** Any JSON value. `__proto__` is an own property, as JSON.parse creates it. */
export function hostileValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return hostileNumbers[random.below(hostileNumbers.length)]
    case 1:
      return [null, true, false, [], {}][random.below(5)]
    case 2:
      return Array.from({ length: random.below(3) + 1 }, () => hostileText(random))
    case 3:
      return { [hostileText(random)]: hostileText(random) }
    case 4:
      return JSON.parse(
        ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', nested(40), nested(3)][
          random.below(4)
        ]!,
      )
    default:
      return hostileText(random)
  }
}

export function hostileText(random: Random): string {
  return hostileTexts[random.below(hostileTexts.length)]!
}

function nested(levels: number): string {
  return `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`
}

/** Bodies that are not valid JSON or not a JSON object. */
export const hostileBodies: readonly (string | Buffer)[] = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '0',
  'true',
  '{}',
  '\ufeff{}',
  '{"a":1,"a":2}',
  '{"__proto__":{"polluted":true}}',
  `${'['.repeat(20_000)}`,
  `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  `{"x":"${'x'.repeat(70_000)}"}`,
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"name":"\xe9"}', 'latin1'),
  Buffer.from([0, 1, 2, 3]),
  'a,b\r\n"unclosed',
  'email\r\n\0@x.test\r\n',
  'message,title,email\r\n\u0001,=cmd(),not-an-address\r\n',
]
