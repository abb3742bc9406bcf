import { generateKeyPairSync } from 'node:crypto'
import { authenticate } from 'mailauth'
import { simpleParser } from 'mailparser'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { findEmailRef } from '#schemas/mail/bounce-ref.ts'
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { readContactToken } from '#schemas/mail/contact-token.ts'
import type { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'
import { frozenEmail } from '../../../test/mailkill/mail-fixture.ts'
import type { SenderDomain } from '../sender-domains.ts'
import { MessageBuffers } from './message-buffers.ts'
import { PreparedCampaign, type Recipient } from './prepared-campaign.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const signed: SenderDomain = {
  kind: 'signed',
  dkim: { domain: 'sender.test', selector: 's1', key: privateKey },
  bounceDomain: 'bounces.sender.test',
}
const box = new SecretBox('a secret of the tests, of enough characters')
const baseUrl = 'https://mail.example.test'
const ids = { id: uuidv7(), organizationId: uuidv7(), newsletterId: uuidv7() }

function prepare(frozen: Partial<FrozenCampaign> = {}, sender: SenderDomain = { kind: 'plain' }) {
  const buffers = new MessageBuffers()
  const domains = { of: async () => sender }
  const options = { domains, clock: systemClock, box, baseUrl, buffers }
  return new PreparedCampaign({ ...ids, frozen: { ...frozenEmail, ...frozen } }, options)
}

function recipient(parts: Partial<Recipient> = {}): Recipient {
  const city = { city: 'Köln' }
  return { contactId: uuidv7(), email: 'ada@reader.test', name: 'Ada', attribs: city, ...parts }
}

/** The message as a server receives it, without the final dot. */
async function composed(campaign: PreparedCampaign, to: Recipient) {
  const email = await campaign.compose(to)
  const text = email.message.toString('latin1')
  expect(text.endsWith('\r\n.\r\n')).toBe(true)
  expect(text.slice(0, -3)).not.toMatch(/^\./m)
  return { ...email, bytes: Buffer.from(email.message.subarray(0, -3)) }
}

const hostileNames = [
  '',
  'Zażółć 😀',
  'A "B", <c@d.test>',
  '.',
  '=?x',
  'a\r\nBcc: x@evil.test',
  '&<>',
]

test.each(hostileNames)(
  'an email has the textValues and fields of its contact: %j',
  async (name) => {
    const campaign = prepare({ trackOpens: false, replyTo: 'editor@sender.test' })
    const to = recipient({ name })
    const { envelope, bytes } = await composed(campaign, to)
    const parsed = await simpleParser(bytes)
    const unsubscribe = parsed.text?.match(/https:\S+/)?.[0] ?? ''
    const links = { unsubscribe, preferences: '', openPixel: '', clickBase: '' }
    const filled = fillEmail(frozenEmail.email, { name, attribs: to.attribs, links })
    expect(parsed.text?.trimEnd()).toBe(filled.text.replace(/\r\n?/g, '\n').trimEnd())
    expect(parsed.html).toBe(filled.html.replace(/\r\n?/g, '\n'))
    expect(parsed.subject).toBe(filled.subject)
    expect(parsed.bcc).toBeUndefined()
    expect(parsed.replyTo?.text).toBe('editor@sender.test')
    expect(envelope).toEqual({ from: 'news@sender.test', to: 'ada@reader.test' })
    const { contactId } = to
    expect(findEmailRef(parsed.messageId ?? '')).toEqual({
      kind: 'delivery',
      campaignId: ids.id,
      contactId,
    })
    const token = unsubscribe.slice(`${baseUrl}/u/`.length)
    expect(readContactToken(token, (...args) => box.isMac(...args))).toEqual({
      kind: 'unsubscribe',
      ids: { contactId, campaignId: ids.id },
    })
  },
)

test('an email has the fields of a mailing list', async () => {
  const { bytes } = await composed(prepare(), recipient())
  const head = bytes.toString('latin1').split('\r\n\r\n')[0]
  expect(head).toMatch(/^List-Unsubscribe: <https:\/\/mail\.example\.test\/u\/[\w-]{66}>\r$/m)
  expect(head).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
  expect(head).toMatch(/^List-Id: The News\s+<news\.[0-9a-f-]{36}\.sender\.test>\r$/m)
  expect(head).toMatch(/^Feedback-ID:\s+\S+:sluice\r$/m)
  expect(head).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r$/m)
})

test('without an HTML part an email is plain text', async () => {
  const { bytes } = await composed(
    prepare({ email: { ...frozenEmail.email, html: [] } }),
    recipient(),
  )
  const parsed = await simpleParser(bytes)
  expect(parsed.html).toBe(false)
  expect(parsed.text).toContain('Hello Ada')
})

test('many emails at once are signed, each with a valid signature of its own', async () => {
  const campaign = prepare({}, signed)
  const recipients = Array.from({ length: 20 }, (_, no) =>
    recipient({ name: `Reader ${'x'.repeat(no * 40)}` }),
  )
  // A buffer that is used again too early would break another signature.
  const emails = await Promise.all(
    recipients.map(async (to) => {
      const email = await composed(campaign, to)
      email.release?.()
      return email
    }),
  )
  for (const { bytes, envelope } of emails) {
    expect(envelope.from).toMatch(/^b\+c[a-z2-7]{52}@bounces\.sender\.test$/)
    const { dkim } = await authenticate(bytes, {
      ip: '127.0.0.1',
      helo: 'sender.test',
      sender: envelope.from,
      resolver: async (name: string, type: string) => {
        if (type === 'TXT' && name === 's1._domainkey.sender.test') return [[record]]
        throw Object.assign(new Error('nothing'), { code: 'ENOTFOUND' })
      },
    })
    expect(dkim.results[0]?.status.result).toBe('pass')
  }
})

test.each(['a b@c.test', 'a@b.test>\r\nRCPT TO:<x@evil.test', 'ä@b.test'])(
  'an invalid address is refused: %j',
  async (email) => {
    await expect(prepare().compose(recipient({ email }))).rejects.toThrow('address')
  },
)

test('while the key of the domain is invalid, emails wait', async () => {
  const broken: SenderDomain = { kind: 'broken', why: 'The DKIM key is invalid.' }
  await expect(prepare({}, broken).compose(recipient())).rejects.toThrow('DKIM key')
})
