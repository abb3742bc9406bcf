import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caseProxies, forwardedCases } from '../../test/fixtures/forwarded-cases.ts'
import { forwardedAddress, proxyList, readAddress } from './forwarded-address.ts'

const isTrusted = proxyList(caseProxies)

test.each(forwardedCases)('finds the client: %s', (_why, peer, header, want) => {
  expect(forwardedAddress(peer, header, isTrusted)).toBe(want)
})

test('a client cannot change the address that the first trusted proxy reports', () => {
  const trusted = fc.constantFrom('10.0.0.1', '10.255.0.1:80', '192.0.2.7', '[2001:db8::7]:443')
  const written = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom(',', '10.0.0.1', '[', '::', '\0', 'unknown', '127.0.0.1,'),
  )
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 20 }),
      fc.array(trusted, { maxLength: 10 }),
      (claims, proxies) => {
        const header = [...claims, '198.51.100.7', ...proxies].join(',')
        expect(forwardedAddress('10.0.0.2', header, isTrusted)).toBe('198.51.100.7')
      },
    ),
  )
})

test('hostile headers are parsed in linear time', () => {
  for (const unit of [',', ', ', '1.1.1.1,', '10.0.0.1,', '[::', ':', '1.', '::1%']) {
    const startedMs = performance.now()
    forwardedAddress('10.0.0.1', unit.repeat(100_000), isTrusted)
    expect([unit, performance.now() - startedMs < 500]).toEqual([unit, true])
  }
})

describe('a list of proxies', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['an address',            '10.0.0.1',               '10.0.0.1',    '10.0.0.2'],
    ['a network',             '10.0.0.0/8',             '10.255.0.1',  '11.0.0.1'],
    ['IPv6',                  '2001:db8::1',            '2001:db8:0:0::1', '2001:db8::2'],
    ['an IPv6 network',       '2001:db8::/32',          '2001:db8:1::', '2001:db9::'],
    ['IPv4 inside IPv6',      '::ffff:10.0.0.1',        '10.0.0.1',    '10.0.0.2'],
    ['and its network',       '::ffff:10.0.0.0/104',    '10.255.0.1',  '11.0.0.1'],
  ])('matches %s', (_what, entry, inside, outside) => {
    const matches = proxyList([entry])
    expect([matches(inside, 0), matches(outside, 0)]).toEqual([true, false])
  })

  test.each([
    'proxy.local',
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    '10.0.0.0/',
    '::ffff:10.0.0.0/64',
  ])('rejects %j', (entry) => {
    expect(() => proxyList(['10.0.0.0/8', entry])).toThrow(/network/)
  })
})

test.each(['', 'NaN', 'unknown', '/run/sluice.sock'])(
  'a peer without an address is returned: %j',
  (peer) => {
    expect(forwardedAddress(peer, '198.51.100.7', isTrusted)).toBe(peer)
  },
)

test('zones and ports are removed from an address', () => {
  expect(readAddress('fe80::1%eth0')).toBe('fe80::1')
  expect(readAddress('[fe80::1%eth0]:80')).toBe('fe80::1')
  expect(readAddress('1.2.3.4:999999')).toBeUndefined()
})
