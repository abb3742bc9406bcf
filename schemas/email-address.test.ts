import { expect, test } from 'vitest'
import { isBlockedBy, parseEmailAddress } from './email-address.ts'

const label63 = 'a'.repeat(63)
const local64 = 'l'.repeat(64)
/** With a local part of 64 characters: 254 and 255 characters. */
const domain189 = `${label63}.${label63}.${'b'.repeat(57)}.abc`
const domain190 = `${label63}.${label63}.${'b'.repeat(58)}.abc`

// biome-ignore format: the columns are the point
test.each([
  ['plain', 'ada@example.com', 'ada@example.com', 'ada@example.com'],
  ['the local part is kept as typed and compared in lower case', 'Ada.Lovelace@Example.COM', 'Ada.Lovelace@example.com', 'ada.lovelace@example.com'],
  ['spaces around it are removed', '  ada@example.com\t\n', 'ada@example.com', 'ada@example.com'],
  ['a tag makes another address', 'ada+news@example.com', 'ada+news@example.com', 'ada+news@example.com'],
  ['dots of Gmail are not folded', 'a.d.a@gmail.com', 'a.d.a@gmail.com', 'a.d.a@gmail.com'],
  ['every special character of an atom', "!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
  ['digits only before the @', '1234567890@example.com', '1234567890@example.com', '1234567890@example.com'],
  ['one character', 'a@b.cd', 'a@b.cd', 'a@b.cd'],
  ['one trailing dot of the domain is removed', 'ada@example.com.', 'ada@example.com', 'ada@example.com'],
  ['a Unicode domain becomes A-labels', 'ada@münchen.example', 'ada@xn--mnchen-3ya.example', 'ada@xn--mnchen-3ya.example'],
  ['a Unicode domain in capitals becomes A-labels', 'ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example', 'ada@xn--mnchen-3ya.example'],
  ['A-labels are kept in lower case', 'ada@XN--mnchen-3ya.example', 'ada@xn--mnchen-3ya.example', 'ada@xn--mnchen-3ya.example'],
  ['a wide dot is a dot', 'ada@example。com', 'ada@example.com', 'ada@example.com'],
  ['a Unicode top-level domain', 'ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah', 'ada@xn--r8jz45g.xn--zckzah'],
  ['hyphens within a label', 'ada@a-b--c.example', 'ada@a-b--c.example', 'ada@a-b--c.example'],
  ['a label of digits', 'ada@123.example', 'ada@123.example', 'ada@123.example'],
  ['64 before the @', `${local64}@example.com`, `${local64}@example.com`, `${local64}@example.com`],
  ['a label of 63', `a@${label63}.com`, `a@${label63}.com`, `a@${label63}.com`],
  ['254 in all', `${local64}@${domain189}`, `${local64}@${domain189}`, `${local64}@${domain189}`],
] as const)('%s', (_name, text, email, key) => {
  const domain = key.slice(key.indexOf('@') + 1)
  expect(parseEmailAddress(text)).toEqual({ kind: 'address', email, key, domain })
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing', ''],
  ['spaces', '   '],
  ['no @', 'ada.example.com'],
  ['only an @', '@'],
  ['nothing before the @', '@example.com'],
  ['nothing after it', 'ada@'],
  ['two @', 'ada@lovelace@example.com'],
  ['a quoted local part', '"ada"@example.com'],
  ['a quoted @', '"a@b"@example.com'],
  ['an unclosed quote', '"ada@example.com'],
  ['a backslash', 'a\\@b@example.com'],
  ['a comment before the @', 'ada(comment)@example.com'],
  ['a comment after it', 'ada@(comment)example.com'],
  ['a display name', 'Ada <ada@example.com>'],
  ['angle brackets', '<ada@example.com>'],
  ['a route', '@a.example,@b.example:ada@example.com'],
  ['a list', 'ada@example.com,bob@example.com'],
  ['a semicolon list', 'ada@example.com;bob@example.com'],
  ['a space inside', 'ada lovelace@example.com'],
  ['a space after the @', 'ada@ example.com'],
  ['a space before the @', 'ada @example.com'],
  ['a leading dot', '.ada@example.com'],
  ['a trailing dot', 'ada.@example.com'],
  ['a double dot', 'ada..lovelace@example.com'],
  ['65 before the @', `${local64}l@example.com`],
  ['255 in all', `${local64}@${domain190}`],
  ['a local part that is not ASCII', 'adä@example.com'],
  ['a wide @', 'ada＠example.com'],
  ['a line break', 'ada@example.com\r\nBcc: eve@example.com'],
  ['a bare line feed', 'ada\n@example.com'],
  ['a NUL', 'ada\0@example.com'],
  ['a tab inside', 'a\tda@example.com'],
  ['DEL', 'ada\u007f@example.com'],
  ['a C1 control', 'ada\u0085x@example.com'],
  ['one label', 'ada@localhost'],
  ['one label and a dot', 'ada@localhost.'],
  ['a leading dot of the domain', 'ada@.example.com'],
  ['a double dot of the domain', 'ada@example..com'],
  ['two trailing dots', 'ada@example.com..'],
  ['a leading hyphen', 'ada@-example.com'],
  ['a trailing hyphen', 'ada@example-.com'],
  ['a hyphen at the end', 'ada@example.com-'],
  ['an underscore', 'ada@exa_mple.com'],
  ['a label of 64', `a@${label63}a.com`],
  ['a domain of 254', `a@${`${label63}.`.repeat(3)}${'b'.repeat(58)}.com`],
  ['an IPv4 address', 'ada@192.0.2.1'],
  ['an IPv4 literal', 'ada@[192.0.2.1]'],
  ['an IPv6 literal', 'ada@[IPv6:2001:db8::1]'],
  ['an IPv4 address in hexadecimal', 'ada@0x7f.1'],
  ['a top-level domain of digits', 'ada@example.123'],
  ['wide digits for an address', 'ada@１.２.３.４'],
  ['a port', 'ada@example.com:25'],
  ['a path', 'ada@example.com/a'],
  ['a query', 'ada@example.com?a'],
  ['a fragment', 'ada@example.com#a'],
  ['percent signs', 'ada@ex%61mple.com'],
  ['an invalid A-label', 'ada@xn--a.example'],
  ['a joiner that IDNA rejects', 'ada@\u200dexample.com'],
  ['a text of a megabyte', `${'a'.repeat(1_000_000)}@example.com`],
] as const)('rejects %s', (_name, text) => {
  expect(parseEmailAddress(text)).toEqual({
    kind: 'invalid',
    rule: expect.stringMatching(/^(?:its domain )?must /),
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['the domain itself', 'example.com', true],
  ['a domain below it', 'mail.example.com', true],
  ['far below it', 'a.b.c.example.com', true],
  ['another domain with the same ending', 'notexample.com', false],
  ['the domain above', 'com', false],
  ['another domain with the same beginning', 'example.com.evil.test', false],
  ['the A-label of an entry', 'xn--mnchen-3ya.example', true],
] as const)('blocking %s', (_name, domain, blocked) => {
  expect(isBlockedBy(domain, new Set(['example.com', 'xn--mnchen-3ya.example']))).toBe(blocked)
})
