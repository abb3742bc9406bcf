import { createPrivateKey, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'

import { checkDkim, checkDmarc, checkProof, checkSpf } from './check-records.ts'
import { dnsRecordsOf } from './dns-records.ts'
import { makeDkimKey } from './make-dkim-key.ts'
import { queryRecords } from './query-records.ts'

const key = 'MIIBIjANBg'
const terms = 'include:relay.test a'

// biome-ignore format: the columns are the point
test.each([
  ['none', [], 'missing'],
  ['something else there', ['hello', 'v=spf1 -all'], 'missing'],
  ['as pasted', [`v=DKIM1; k=rsa; p=${key}`], 'pass'],
  ['in another order, with spaces', [`p = MIIB IjAN Bg ; v = DKIM1`], 'pass'],
  ['without a version', [`k=rsa; p=${key}`], 'pass'],
  ['another key', ['v=DKIM1; p=AAAA'], 'wrong'],
  ['cut off', ['v=DKIM1; p=MIIBIj'], 'wrong'],
  ['revoked', ['v=DKIM1; p='], 'wrong'],
  ['two keys', [`v=DKIM1; p=${key}`, 'v=DKIM1; p=AAAA'], 'wrong'],
  ['of another kind', [`v=DKIM1; k=ed25519; p=${key}`], 'wrong'],
  ['for another hash', [`v=DKIM1; h=sha1; p=${key}`], 'wrong'],
])('DKIM: %s', (_why, texts, want) => {
  expect(checkDkim(texts, key).state).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['none', [], 'missing'],
  ['something else there', ['v=spf1 -all'], 'missing'],
  ['as pasted', ['sluice-domain=abc'], 'pass'],
  ['beside that of another organization', ['sluice-domain=xyz', ' sluice-domain=abc '], 'pass'],
  ['only that of another organization', ['sluice-domain=xyz'], 'wrong'],
  ['a part of it', ['sluice-domain=ab'], 'wrong'],
  ['more than it', ['sluice-domain=abcd'], 'wrong'],
])('proof: %s', (_why, texts, want) => {
  expect(checkProof(texts, 'abc').state).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['none', ['google-site-verification=x'], 'missing'],
  ['nearly one', ['v=spf10 a ~all'], 'missing'],
  ['as pasted', [`v=spf1 ${terms} ~all`], 'pass'],
  ['with more, in another order', ['V=SPF1 mx +a INCLUDE:relay.test -all'], 'pass'],
  ['redirecting', ['v=spf1 include:relay.test a redirect=x.test'], 'pass'],
  ['one of our terms is lacking', ['v=spf1 a ~all'], 'wrong'],
  ['behind all', ['v=spf1 a ~all include:relay.test'], 'wrong'],
  ['our servers are refused', ['v=spf1 a -include:relay.test ~all'], 'wrong'],
  ['everybody may', ['v=spf1 include:relay.test a +all'], 'wrong'],
  ['two records', [`v=spf1 ${terms} ~all`, 'v=spf1 -all'], 'wrong'],
])('SPF: %s', (_why, texts, want) => {
  expect(checkSpf(texts, terms).state).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['none', [], [], 'missing'],
  ['as pasted', ['v=DMARC1; p=none'], [], 'pass'],
  ['strict', ['v=DMARC1;p=reject;rua=mailto:d@x.test'], [], 'pass'],
  ['without a policy', ['v=DMARC1'], [], 'wrong'],
  ['two of them', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], [], 'wrong'],
  ['the one of the domain above', [], ['v=DMARC1; p=none'], 'pass'],
  ['its own before that', ['v=DMARC1; p=x'], ['v=DMARC1; p=none'], 'wrong'],
])('DMARC: %s', (_why, texts, inherited, want) => {
  expect(checkDmarc(texts, inherited).state).toBe(want)
})

const names = {
  domain: 'news.sender.test',
  bounceDomain: 'bounces.news.sender.test',
  selector: 'sluice',
  publicKey: key,
  proofToken: 'a-token',
  proofRequired: true,
}

test('the records to paste pass the check', async () => {
  const records = dnsRecordsOf(names, terms)
  const texts = new Map(
    records.filter(({ type }) => type === 'TXT').map(({ name, value }) => [name, value]),
  )
  const resolver = {
    txt: async (name: string) => [texts.get(name) ?? ''].filter((text) => text !== ''),
    mx: async () => ['mx.sender.test'],
  }
  const checks = await queryRecords(resolver, names, terms)
  expect(checks.map(({ use, state }) => `${use} ${state}`)).toEqual([
    'proof pass',
    'dkim pass',
    'spf pass',
    'dmarc pass',
    'mx pass',
  ])
})

test('a name server without an answer yields `unknown` and does not stop other checks', async () => {
  const resolver = {
    txt: (name: string) =>
      name.startsWith('_dmarc.')
        ? Promise.reject(new Error('ETIMEOUT'))
        : Promise.resolve<string[]>([]),
    mx: async () => [],
  }
  const checks = await queryRecords(resolver, names, terms)
  expect(checks.map(({ state }) => state)).toEqual([
    'missing',
    'missing',
    'missing',
    'unknown',
    'missing',
  ])
})

test('the record of a new key verifies its signature', async () => {
  const { privatePem, publicKey } = await makeDkimKey()
  const signature = sign('sha256', Buffer.from('x'), createPrivateKey(privatePem))
  const published = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const
  expect(verify('sha256', Buffer.from('x'), published, signature)).toBe(true)
  // Within the 512 bytes that every name server answers over UDP.
  expect(publicKey.length).toBe(392)
})
