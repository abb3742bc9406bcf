import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  contactTokenKinds,
  contactTokenPurpose,
  formatContactToken,
  type ReadContactToken,
  readContactToken,
} from './contact-token.ts'

const contactId = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
const campaignId = '019ab2c5-0000-7000-8000-0000000000ff'
const kinds: ReadContactToken['kind'][] = ['legacy', ...contactTokenKinds]
const mac = (purpose: string, message: Uint8Array) =>
  createHmac('sha256', purpose).update(message).digest().subarray(0, 16)
const isMac = (purpose: string, message: Uint8Array, given: Uint8Array) =>
  mac(purpose, message).equals(given)

test.each(kinds.flatMap((kind) => [campaignId, null].map((campaign) => [kind, campaign] as const)))(
  'a token %s of campaign %s is parsed back',
  (kind, campaign) => {
    const ids = { contactId, campaignId: campaign }
    const token = formatContactToken(kind, ids, mac)
    expect(token).toMatch(/^[A-Za-z0-9_-]{66}$/)
    expect(readContactToken(token, isMac)).toEqual({ kind, ids })
  },
)

test('every kind has its own first byte and key', () => {
  const ids = { contactId, campaignId }
  const tokens = kinds.map((kind) => Buffer.from(formatContactToken(kind, ids, mac), 'base64url'))
  expect(new Set(tokens.map(([first]) => first)).size).toBe(kinds.length)
  expect(new Set(kinds.map(contactTokenPurpose)).size).toBe(kinds.length)
})

test('the signature covers kind, contact and campaign', () => {
  for (const kind of kinds) {
    const bytes = Buffer.from(formatContactToken(kind, { contactId, campaignId }, mac), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 2, 4, 7]) {
        const changed = Buffer.from(bytes)
        changed[at]! ^= bit
        expect(readContactToken(changed.toString('base64url'), isMac), `${kind} ${at}`).toBe(
          undefined,
        )
      }
    }
  }
})

test('a token of an earlier version has the kind legacy', () => {
  const message = Buffer.from(
    `01${contactId.replaceAll('-', '')}${campaignId.replaceAll('-', '')}`,
    'hex',
  )
  const token = Buffer.concat([message, mac('reader link', message)]).toString('base64url')
  expect(readContactToken(token, isMac)).toEqual({ kind: 'legacy', ids: { contactId, campaignId } })
})

test('other texts are not tokens', () => {
  const token = formatContactToken('unsubscribe', { contactId, campaignId }, mac)
  const other = Buffer.from(token, 'base64url')
  other[0] = 99
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
    expect(readContactToken(text, () => true)?.kind, text).toBeUndefined()
  }
})
