import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { forwardedAddress } from '#platform/http/forwarded-address.ts'
import { ipKey } from '#platform/http/ip-key.ts'
import { caseProxies, forwardedCases } from '../../test/fixtures/forwarded-cases.ts'
import { clientAddress, clientIp, type TrustedProxies, trustedBy } from './client-address.ts'

async function seenAs(trusted: TrustedProxies, peer: string, forwarded?: string): Promise<string> {
  return (await seenBy(trusted, peer, forwarded)).key
}

async function seenBy(trusted: TrustedProxies, peer: string, forwarded?: string) {
  const app = Fastify({ trustProxy: trustedBy(trusted) })
  app.get('/', async (request) => ({
    key: clientAddress(request),
    ip: clientIp(request),
  }))
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const reply = await app.inject({ url: '/', remoteAddress: peer, headers })
  await app.close()
  return reply.json<{ key: string; ip: string }>()
}

const proxies = ['10.0.0.0/8', '2001:db8::/32']

// biome-ignore format: the columns are the point
test.each([
  ['nobody is believed by default         ', 0, '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['not even a neighbour                  ', 0, '127.0.0.1', '198.51.100.7', '127.0.0.1'],
  ['one hop: the last entry               ', 1, '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['two hops: the last but one            ', 2, '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['one hop without the header            ', 1, '10.0.0.1', undefined, '10.0.0.1'],
  ['a listed proxy names its client       ', proxies, '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['through two listed proxies            ', proxies, '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.2.3.4', '198.51.100.7'],
  ['a stranger is not believed            ', proxies, '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['an empty list believes nobody         ', [], '10.0.0.1', '198.51.100.7', '10.0.0.1'],
  ['text that is no address: the peer     ', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
  ['an address with its port              ', 1, '10.0.0.1', '198.51.100.7:52113', '198.51.100.7'],
  ['IPv6 with its port                    ', 1, '10.0.0.1', '[2001:db8:1:2:3::4]:443', '2001:db8:1:2::/64'],
  ['IPv6 counts by its network            ', 0, '2001:db8:1:2:ffff::1', undefined, '2001:db8:1:2::/64'],
  ['IPv4 inside IPv6 is IPv4              ', 0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
] as const)('%s', async (_name, trusted, peer, forwarded, want) => {
  expect(await seenAs(trusted, peer, forwarded)).toBe(want)
})

test.each(forwardedCases)('the client is found: %s', async (_why, peer, header, want) => {
  expect(await seenBy(caseProxies, peer, header)).toEqual({ key: ipKey(want), ip: want })
})

// biome-ignore format: the columns are the point
test.each([
  ['no address within the hops',   2, '198.51.100.7, unknown',            '10.0.0.1'],
  ['no address as the client',     2, 'unknown, 10.0.0.2',                '10.0.0.2'],
  ['fewer entries than hops',      5, '198.51.100.7, 10.0.0.2',           '198.51.100.7'],
])('by hops: %s', async (_why, hops, header, want) => {
  expect((await seenBy(hops, '10.0.0.1', header)).ip).toBe(want)
  expect(forwardedAddress('10.0.0.1', header, (_address, hop) => hop < hops)).toBe(want)
})

test('a closed connection is not trusted', () => {
  const socket = { remoteAddress: undefined }
  expect(trustedBy(1)(undefined as never, 0)).toBe(false)
  expect(clientAddress({ ip: undefined, ips: [undefined], socket } as never)).toBe('unknown')
})
