import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatReaderToken, parseReaderToken } from './reader-token.ts'

const contactId = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
const campaignId = '019ab2c5-0000-7000-8000-0000000000ff'
const mac = (message: Uint8Array) =>
  createHmac('sha256', 'k').update(message).digest().subarray(0, 16)

test.each([
  ['of a campaign', campaignId],
  ['of no campaign', null],
] as const)('a token %s names its contact again', (_name, campaign) => {
  const token = formatReaderToken({ contactId, campaignId: campaign }, mac)
  expect(token).toMatch(/^[A-Za-z0-9_-]{66}$/)
  const parsed = parseReaderToken(token)!
  expect(parsed.ids).toEqual({ contactId, campaignId: campaign })
  expect(Buffer.from(parsed.mac)).toEqual(mac(parsed.message))
})

test('the signature covers version, contact and campaign', () => {
  const { message } = parseReaderToken(formatReaderToken({ contactId, campaignId }, mac))!
  expect(Buffer.from(message).toString('hex')).toBe(
    `01${contactId.replaceAll('-', '')}${campaignId.replaceAll('-', '')}`,
  )
})

test('texts that are no token are none', () => {
  const token = formatReaderToken({ contactId, campaignId }, mac)
  const other = Buffer.from(token, 'base64url')
  other[0] = 2
  const lastCharacter = String.fromCharCode(token.charCodeAt(65) + 1)
  for (const text of [
    '',
    token.slice(1),
    `${token}A`,
    `${token.slice(0, 65)}=`,
    `${token.slice(0, 65)}${lastCharacter}`,
    other.toString('base64url'),
    '../'.repeat(22),
  ]) {
    expect(parseReaderToken(text), text).toBeUndefined()
  }
})
