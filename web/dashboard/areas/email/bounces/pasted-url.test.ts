import { expect, test } from 'vitest'
import { pastedUrl } from './pasted-url.ts'

const url = 'https://api.example.com/hooks/bounces/postmark/secret'

test.each([
  ['plain', 'user', 'password'],
  ['what separates parts of a URL', 'a:b@c/d', '?#[]@:/'],
  ['percent signs', '100%', '%41%zz'],
  ['other alphabets', 'ü', '密码 🔑'],
])('the credentials of Postmark are in its URL: %s', (_name, username, password) => {
  const pasted = new URL(pastedUrl('postmark', url, { username, password }))
  expect([pasted.username, pasted.password].map(decodeURIComponent)).toEqual([username, password])
  expect(`${pasted.origin}${pasted.pathname}`).toBe(url)
})

test('other providers get the URL as it is', () => {
  expect(pastedUrl('mailgun', url, { signingKey: 'key' })).toBe(url)
})
