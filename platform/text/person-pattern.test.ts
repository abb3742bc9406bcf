// cspell:ignore bnews Cller mller annnews Xexample
import { describe, expect, test } from 'vitest'
import { eraseInText, personPatterns } from './person-pattern.ts'

const subject = { email: 'ann+news@xn--mller-kva.example', address: '192.0.2.7' }
const patterns = personPatterns(subject)

describe('erases', () => {
  test.each([
    ['ann+news@xn--mller-kva.example', '[erased]'],
    ['Mail ANN+News@xn--MLLER-kva.Example!', 'Mail [erased]!'],
    ['ann+news@müller.example', '[erased]'],
    ['?to=ann%2Bnews%40m%C3%BCller.example&x=1', '?to=[erased]&x=1'],
    ['%3Cann%2bnews%40xn--mller-kva.example%3E', '%3C[erased]%3E'],
    ['&lt;ann&#43;news&#64;xn--mller-kva.example&gt;', '&lt;[erased]&gt;'],
    ['ann+news@xn--mller-kva.example ann+news@xn--mller-kva.example', '[erased] [erased]'],
    ['to ann+news@xn--mller-kva.example.', 'to [erased].'],
    ['from 192.0.2.7:8080', 'from [erased]:8080'],
    ['::ffff:192.0.2.7', '[erased]'],
    ['ip:192.0.2.7', 'ip:[erased]'],
    ['mailto:ann+news@xn--mller-kva.example', 'mailto:[erased]'],
  ])('%s', (before, after) => {
    expect(eraseInText(before, patterns, 'text')).toBe(after)
  })

  test.each([
    'line\nann+news@xn--mller-kva.example\nline',
    '"ann+news@xn--mller-kva.example"',
    'C:\\ann+news@xn--mller-kva.example',
    '\\\\ann+news@xn--mller-kva.example',
    'ann\\u002bnews\\u0040xn--mller-kva.example',
  ])('in JSON, which stays valid: %j', (value) => {
    const changed = eraseInText(JSON.stringify({ value }), patterns, 'json')
    expect(JSON.parse(changed).value).toContain('[erased]')
    expect(changed).not.toMatch(/news/)
  })
})

describe('leaves alone', () => {
  test.each([
    'joann+news@xn--mller-kva.example',
    'jo.ann+news@xn--mller-kva.example',
    'ann+news@xn--mller-kva.example.org',
    'ann+news@xn--mller-kva.example-b.org',
    'annnews@xn--mller-kva.example',
    'ann+news@xn--mller-kvaXexample',
    '192.0.2.70',
    '1192.0.2.7',
    '192.0.2.7.1',
    '192x0x2x7',
  ])('%s', (other) => {
    expect(eraseInText(other, patterns, 'text')).toBe(other)
  })
})

test('signs of regular expressions and of LIKE stand for themselves', () => {
  const odd = "a.b_c%d*e?f^g$h|i{j}k!#&'/=`~@example.com"
  const pattern = personPatterns({ email: odd })
  expect(eraseInText(`<${odd}>`, pattern, 'text')).toBe('<[erased]>')
  expect(eraseInText('axb_cxdxe@example.com', pattern, 'text')).toBe('axb_cxdxe@example.com')
})

test('an IPv6 address is erased in every form, and a longer one left alone', () => {
  const pattern = personPatterns({ address: '2001:db8::1' })
  expect(eraseInText('at [2001:DB8::1]:443', pattern, 'text')).toBe('at [[erased]]:443')
  for (const form of [
    '2001:0db8:0:0:0:0:0:1',
    '2001:0DB8:0000:0000:0000:0000:0000:0001',
    '2001:db8:0:0::1',
    '2001:db8::0:0:1',
    '2001:db8:0::0001',
    '2001%3Adb8%3A%3A1',
  ]) {
    expect(eraseInText(`from ${form}.`, pattern, 'text')).toBe('from [erased].')
  }
  for (const other of ['2001:db8::12', '2001:db8::1:1', '1:2001:db8::1', '2001:db80::1']) {
    expect(eraseInText(other, pattern, 'text')).toBe(other)
  }
})

test.each(['::1', '1::', '1:2:3:4:5:6:7:8', 'fe80::1:0:0:1'])('%s has a pattern', (address) => {
  const pattern = personPatterns({ address })
  expect(eraseInText(`at ${address}, from`, pattern, 'text')).toBe('at [erased], from')
  expect(eraseInText('at 1:2:3:4:5:6:7:9', pattern, 'text')).toBe('at 1:2:3:4:5:6:7:9')
})

test('a person without addresses has no pattern', () => {
  expect(personPatterns({ user_id: '1' })).toEqual([])
})

/** A backslash and a control character are three backslashes and a sign when serialised. */
test.each([
  'bob@example.com',
  'nan@example.com',
  'rob@example.com',
  'tom@example.com',
  'fay@example.com',
  'una@example.com',
])('JSON stays valid when backslashes precede a part of %s', (email) => {
  const pattern = personPatterns({ email })
  const [first, ...rest] = email
  for (let backslashes = 0; backslashes < 8; backslashes += 1) {
    for (const start of ['', 'x', '"', '\n']) {
      for (const next of ['\b', '\n', '\r', '\t', '\f', '\u0001', first]) {
        const value = `${start}${'\\'.repeat(backslashes)}${next}${rest.join('')}`
        const changed = eraseInText(JSON.stringify({ value }), pattern, 'json')
        expect(() => JSON.parse(changed), JSON.stringify(value)).not.toThrow()
        // A sign of an address before it makes it another address.
        const isNamed = next === first && (backslashes > 0 || start !== 'x')
        if (isNamed) expect(changed, JSON.stringify(value)).not.toContain(email)
      }
    }
  }
})
