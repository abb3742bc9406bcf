import { describe, expect, test } from 'vitest'
import { checkTargetUrl, hostOf, targetSettings } from './target-url.ts'

const none = targetSettings([])
const local = targetSettings(['127.0.0.0/8', '10.1.0.0/16', 'fd00::/8'])

const rule = (url: string, settings = none) => {
  const checked = checkTargetUrl(url, settings)
  return checked.kind === 'ok' ? undefined : checked.rule
}

test.each([
  'https://example.com/hook?x=1',
  'https://example.com:8443/hook',
  'https://example.com:80/',
  'https://example.com./',
  'https://bücher.example/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'HTTPS://EXAMPLE.COM/',
  // Names are judged by their addresses when a request is sent.
  'https://metadata.google.internal/',
  'https://receiver/',
])('%s is accepted', (url) => {
  expect(rule(url)).toBeUndefined()
})

test.each([
  ['dotted', 'https://127.0.0.1/', 'loopback'],
  ['decimal', 'https://2130706433/', 'loopback'],
  ['octal', 'https://0177.0.0.1/', 'loopback'],
  ['hexadecimal', 'https://0x7f000001/', 'loopback'],
  ['mixed', 'https://0x7f.1/', 'loopback'],
  ['short', 'https://127.1/', 'loopback'],
  ['zero', 'https://0/', 'of this network'],
  ['with a trailing dot', 'https://127.0.0.1./', 'loopback'],
  ['percent-encoded', 'https://%31%32%37.0.0.1/', 'loopback'],
  ['full-width digits', 'https://１２７.０.０.１/', 'loopback'],
  ['circled digits', 'https://①②⑦.0.0.1/', 'loopback'],
  ['ideographic full stops', 'https://127。0。0。1/', 'loopback'],
  ['private', 'https://10.0.0.7/', 'private'],
  ['metadata', 'https://169.254.169.254/latest/meta-data/', 'link-local'],
  ['metadata in decimal', 'https://2852039166/', 'link-local'],
  ['metadata of IPv6', 'https://[fd00:ec2::254]/', 'unique local'],
  ['CGNAT', 'https://100.64.0.1/', 'shared (CGNAT)'],
  ['IPv6 loopback', 'https://[::1]/', 'loopback'],
  ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/', 'loopback'],
  ['IPv4-mapped in hexadecimal', 'https://[::ffff:7f00:1]/', 'loopback'],
  ['IPv4-compatible', 'https://[::127.0.0.1]/', 'IPv4-compatible'],
  ['NAT64', 'https://[64:ff9b::127.0.0.1]/', 'loopback'],
  ['6to4', 'https://[2002:7f00:1::]/', '6to4'],
  ['Teredo', 'https://[2001:0:7f00:1::]/', 'reserved'],
  ['localhost', 'https://localhost/', 'loopback'],
  ['localhost with a dot', 'https://LOCALHOST./', 'loopback'],
  ['below localhost', 'https://a.localhost/', 'loopback'],
  ['localhost with a circled character', 'https://ⓛocalhost/', 'loopback'],
])('an address that is %s is refused', (_what, url, kind) => {
  expect(rule(url)).toContain(`is ${kind};`)
})

test.each([
  ['no URL', 'example.com', /^must be a URL/],
  ['an empty text', '', /^must be a URL/],
  ['a zone', 'https://[fe80::1%25eth0]/', /^must be a URL/],
  ['a long URL', `https://example.com/${'x'.repeat(2_000)}`, /^must be a URL/],
  ['http', 'http://example.com/', /must use https/],
  ['http to an address', 'http://8.8.8.8/', /must use https/],
  ['another scheme', 'ftp://example.com/', /begin with https/],
  ['file', 'file:///etc/passwd', /begin with https/],
  ['gopher', 'gopher://example.com/', /begin with https/],
  ['a user name', 'https://me@example.com/', /user name/],
  ['a password', 'https://:secret@example.com/', /user name/],
  ['credentials that look like a host', 'https://example.com@127.0.0.1/', /user name/],
  ['the port of SMTP', 'https://example.com:25/', /port/],
  ['the port of SSH', 'https://example.com:22/', /port/],
  ['port 0', 'https://example.com:0/', /port/],
  ['an empty label', 'https://a..b/', /host/],
  ['only a dot', 'https://./', /host/],
])('%s is refused', (_what, url, expected) => {
  expect(rule(url)).toMatch(expected)
})

describe('with allowed networks', () => {
  test.each([
    'http://127.0.0.1:9000/',
    'https://127.0.0.1/',
    'http://localhost:9000/',
    'http://[::ffff:127.0.0.1]:9000/',
    'http://10.1.2.3/',
    'http://[fd00::1]/',
    // It may resolve to an allowed address.
    'http://receiver.internal/',
  ])('%s is accepted', (url) => {
    expect(rule(url, local)).toBeUndefined()
  })

  test.each([
    ['another private network', 'http://10.2.0.1/', /private/],
    ['http to a public address', 'http://8.8.8.8/', /must use https/],
    ['metadata', 'http://169.254.169.254/', /link-local/],
  ])('%s is refused', (_what, url, expected) => {
    expect(rule(url, local)).toMatch(expected)
  })
})

test('the host has no brackets and no trailing dot', () => {
  expect(hostOf(new URL('https://[::1]:1/'))).toBe('::1')
  expect(hostOf(new URL('https://example.com./'))).toBe('example.com')
})
