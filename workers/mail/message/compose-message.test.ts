import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { authenticate } from 'mailauth'
import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { composeMessage, type Email } from './compose-message.ts'
import { checkDkimKey } from './dkim.ts'

const email: Email = {
  messageId: '<sabc@sender.test>',
  date: new Date('2026-11-21T01:02:03Z'),
  from: { address: 'news@sender.test', name: 'The News' },
  to: { address: 'reader@reader.test' },
  subject: 'Hello',
  text: 'Hello\n.dot\n',
  html: '<p>Hello</p>',
  headers: {},
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const dkim = { domain: 'sender.test', selector: 's1', key: privateKey }

async function verified(message: Buffer) {
  const result = await authenticate(message, {
    ip: '127.0.0.1',
    helo: 'sender.test',
    sender: 'b+s@bounces.sender.test',
    resolver: async (name: string, type: string) => {
      if (type === 'TXT' && name === 's1._domainkey.sender.test') return [[record]]
      throw Object.assign(new Error('nothing'), { code: 'ENOTFOUND' })
    },
  })
  return result.dkim.results[0]
}

const listFields = {
  'List-Unsubscribe': '<https://mail.example.test/u/abc>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
const long = 'word '.repeat(400)

// biome-ignore format: the columns are the point
test.each([
  ['a plain email            ', {}],
  ['no HTML part             ', { html: null }],
  ['umlauts and emoji        ', { subject: 'Zażółć 😀'.repeat(20), text: 'é😀\n', html: '<p>Größe 😀</p>' }],
  ['long lines               ', { subject: long, text: long, html: `<p>${long.repeat(20)}</p>` }],
  ['runs of blanks and tabs  ', { text: 'a  b\t\tc \n  d\t\n', html: '<pre>a  b\t c</pre>   \n' }],
  ['empty lines at the end   ', { text: 'a\n\n\n\n', html: null }],
  ['an empty body            ', { text: '', html: null }],
  ['lists                    ', { headers: listFields, replyTo: 'editor@sender.test' }],
  ['names in need of quotes  ', { from: { address: 'news@sender.test', name: 'A "B", C\\ <d@e.test>' } }],
] as const)('a signature is valid: %s', async (_name, parts) => {
  const message = await composeMessage({ ...email, ...parts }, dkim)
  const result = await verified(message)
  expect(result?.status.result).toBe('pass')
})

test('the one-click fields are signed, and a second From breaks the signature', async () => {
  const message = await composeMessage({ ...email, headers: listFields }, dkim)
  expect((await verified(message))?.status.result).toBe('pass')
  const names = /^ h=(.*);\r$/m.exec(message.toString())?.[1]
  expect(names).toContain('list-unsubscribe-post')
  expect(names).toContain('list-unsubscribe:')
  expect(names).toMatch(/^from:.*:from$/)
  const forged = Buffer.concat([Buffer.from('From: other@evil.test\r\n'), message])
  expect((await verified(forged))?.status.result).not.toBe('pass')
})

const hostile = [
  'x\r\nBcc: victim@evil.test',
  'x\nBcc: victim@evil.test',
  'x\rBcc: victim@evil.test',
  'x\r\n\r\n<script>',
  'x\u2028Bcc: a@evil.test',
  'x\u0000\u0085Bcc: a@evil.test',
  '=?UTF-8?B?DQpCY2M6IGFAZXZpbC50ZXN0?=',
  `${'x'.repeat(2_000)}\r\nBcc: a@evil.test`,
]

test.each(hostile)('a value cannot begin another field: %j', async (value) => {
  const message = await composeMessage({
    ...email,
    subject: value,
    from: { address: 'news@sender.test', name: value },
    to: { address: 'reader@reader.test', name: value },
    headers: { 'X-Own': value },
  })
  const head = message.subarray(0, message.indexOf('\r\n\r\n')).toString('latin1')
  expect(head).toMatch(/^[\x20-\x7e\r\n]*$/)
  for (const line of head.split('\r\n')) {
    expect(line).toMatch(/^(?:[A-Za-z-]+: ?|[ \t])/)
    expect(line).not.toMatch(/^bcc:/i)
    expect(line.length).toBeLessThan(998)
  }
  const parsed = await simpleParser(message)
  expect(parsed.bcc).toBeUndefined()
  expect(parsed.subject).toBe(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what becomes a blank.
    value.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim(),
  )
})

test.each([
  'a@b.test>\r\nRCPT TO:<x@evil.test',
  'a b@c.test',
  'a@b.test, c@d.test',
  'ä@b.test',
  '',
])('an invalid address is refused: %j', async (address) => {
  await expect(composeMessage({ ...email, to: { address } })).rejects.toThrow('address')
})

test.each(['Bcc', 'from', 'DKIM-Signature', 'X Y', 'X:Y', 'X\r\nY'])(
  'a caller cannot set the field %j',
  async (name) => {
    await expect(composeMessage({ ...email, headers: { [name]: 'x' } })).rejects.toThrow('field')
  },
)

test('a composed message is decoded to the same text', async () => {
  const text = 'Zażółć\n.one dot\n..two\nFrom here = there  \n\n😀 end\n'
  const parsed = await simpleParser(await composeMessage({ ...email, text, subject: 'Grüße 😀' }))
  expect(parsed.subject).toBe('Grüße 😀')
  expect(parsed.text?.trimEnd()).toBe(text.trimEnd())
  expect(parsed.html).toBe('<p>Hello</p>')
  expect(parsed.messageId).toBe('<sabc@sender.test>')
})

test('a key that is not RSA is rejected before a message is signed with it', () => {
  expect(checkDkimKey(privateKey)).toBe('usable')
  const other = generateKeyPairSync('ed25519').privateKey
  const pem = other.export({ type: 'pkcs8', format: 'pem' })
  expect(checkDkimKey(createPrivateKey(pem))).toBe('not_rsa')
})
