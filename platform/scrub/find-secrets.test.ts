import { expect, test } from 'vitest'
import { findSecrets } from './find-secrets.ts'
import { meaningOfKey } from './sensitive-keys.ts'
import { replaceSpans } from './spans.ts'

const forms = { secrets: true, addresses: false, meaning: meaningOfKey }
const scrub = (text: string) => replaceSpans(text, findSecrets(text, forms))
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'

// biome-ignore format: the columns are the point
test.each([
  ['a card',                      'x 4111111111111111 y', 'x [Filtered] y'],
  ['a card in groups',            '5500-0000-0000-0004', '[Filtered]'],
  ['a card and its month',        '4111 1111 1111 1111 12/26', '[Filtered] 12/26'],
  ['a card behind a number',      'order 12 4111 1111 1111 1111', 'order 12 [Filtered]'],
  ['American Express',            '378282246310005', '[Filtered]'],
  ['a wrong check digit',         '4111111111111112', '4111111111111112'],
  ['a time in milliseconds',      '1763715600000', '1763715600000'],
  ['digits within an id',         'a4111111111111111', 'a4111111111111111'],
  ['a bearer token',              'Authorization: Bearer abc.def-123', 'Authorization: [Filtered]'],
  ['a bearer token alone',        'sent bearer abc.def-123, failed', 'sent bearer [Filtered], failed'],
  ['basic credentials',           '"Basic dXNlcjpwYXNz=="', '"Basic [Filtered]"'],
  ['words that follow basic',     'Basic authentication, bearer token', 'Basic authentication, bearer token'],
  ['a password in a URL',         'redis://:p4ss@cache:6379/0', 'redis://:[Filtered]@cache:6379/0'],
  ['a password with an @',        'https://me:p@ss@host/x', 'https://me:[Filtered]@host/x'],
  ['no password in a URL',        'http://host:80/a@b:c', 'http://host:80/a@b:c'],
  ['JSON within a text',          '{"token":"a\\"b","n":1}', '{"token":"[Filtered]","n":1}'],
  ['JSON within JSON',            '"{\\"token\\":\\"ab\\",\\"n\\":1}"', '"{\\"token\\":\\"[Filtered]\\",\\"n\\":1}"'],
  ['a printed object',            "User(name='a', password='b c')", "User(name='a', password='[Filtered]')"],
  ['a connection string',         'Server=x;Password=y z;User=u', 'Server=x;Password=[Filtered];User=u'],
  ['an encoded form',             'a=1&user%5Bpassword%5D=x&b=2', 'a=1&user%5Bpassword%5D=[Filtered]&b=2'],
  ['an encoded assignment',       'next=%2F%3Ftoken%3Dabc&b=2', 'next=%2F%3Ftoken%3D[Filtered]&b=2'],
  ['a JWT',                       `x ${jwt} y`, 'x [Filtered] y'],
  ['a token of a known maker',    `ghp_${'a1'.repeat(18)} AKIAIOSFODNN7EXAMPLE xoxb-1234567890-abc`, '[Filtered] [Filtered] [Filtered]'],
  ['a private key',               'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb', 'a\n[Filtered]\nb'],
  ['a private key that is cut',   '-----BEGIN PRIVATE KEY-----\nMIIE', '[Filtered]'],
  ['a public key',                '-----BEGIN PUBLIC KEY-----\nMIIE', '-----BEGIN PUBLIC KEY-----\nMIIE'],
  ['no value',                    'password=&token=null', 'password=&token=null'],
])('%s', (_name, text, want) => {
  expect(scrub(text)).toBe(want)
})

// The prefilter must skip only texts without secrets: each of these texts has a single sign.
test.each([
  ['a card', '4111111111111111'],
  ['credentials', 'BEARER abcdefgh1'],
  ['basic credentials', 'Basic dXNlcjpwYXNz1'],
  ['an encoded assignment', 'token%3dabc'],
  ['a JWT', jwt],
  ['a private key', '-----BEGIN PRIVATE KEY-----'],
  ['a cloud key', 'AKIAIOSFODNN7EXAMPLE'],
  ['a token of GitHub', `ghs_${'a1'.repeat(18)}`],
  ['a fine-grained token of GitHub', `github_pat_${'a1'.repeat(18)}`],
  ['a key of Stripe', 'rk_live_abcdefgh1234'],
  ['a token of npm', `npm_${'a1'.repeat(18)}`],
  ['a token of Sluice', `oat_${'a1-'.repeat(14)}x`],
  ['a token of Slack', 'xoxp-1234567890-a'],
  ['a token of GitLab', 'glpat-abcdefghij0123456789'],
  ['a key of a model', 'sk-proj-abcdefghij0123456789'],
])('%s alone in a text is found', (_name, text) => {
  expect(scrub(text)).toContain('[Filtered]')
  const code = { ...forms, meaning: undefined }
  if (!/bearer|basic|%3d/i.test(text)) expect(findSecrets(text, code)).toHaveLength(1)
})

// Each would take hours with a search that backtracks at every character.
test.each([
  ['assignments', 'token='.repeat(100_000)],
  ['quotes', `password="${'\\'.repeat(500_000)}`],
  ['dashes', '-----BEGIN '.repeat(50_000)],
  ['begun tokens', 'eyJ-'.repeat(150_000)],
  ['digits', '4 1-'.repeat(150_000)],
  ['URLs', 'a://b:c'.repeat(80_000)],
  ['lists', 'token=['.repeat(80_000)],
  ['keys', '-----BEGIN PRIVATE KEY-----'.repeat(20_000)],
  ['underscores', `${'a'.repeat(9)}_`.repeat(60_000)],
])(
  'a hostile text of %s is scanned once',
  (_name, text) => {
    expect(() => scrub(text)).not.toThrow()
  },
  2_000,
)
