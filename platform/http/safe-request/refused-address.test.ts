import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalAddress, refusedAddress } from './refused-address.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '203.0.114.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2a00:1450:4001:82a::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2a00::5efe:808:808',
])('%s is public', (address) => {
  expect(refusedAddress(address)).toBeUndefined()
})

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'of this network'],
  ['0.1.2.3', 'of this network'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'shared (CGNAT)'],
  ['100.100.100.200', 'shared (CGNAT)'],
  ['169.254.169.254', 'link-local'],
  ['168.63.129.16', 'a metadata service'],
  ['192.0.0.192', 'reserved'],
  ['192.0.2.1', 'for documentation'],
  ['198.51.100.1', 'for documentation'],
  ['203.0.113.1', 'for documentation'],
  ['198.18.0.1', 'for benchmarks'],
  ['198.19.255.255', 'for benchmarks'],
  ['192.88.99.1', 'a 6to4 relay'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::1%lo', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::127.0.0.1', 'IPv4-compatible'],
  ['::8.8.8.8', 'IPv4-compatible'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::FFFF:a9fe:a9fe', 'link-local'],
  ['::ffff:0:127.0.0.1', 'translated IPv4'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['64:ff9b:1::808:808', 'of a local translator'],
  ['100::1', 'a discard address'],
  ['2001::1', 'reserved'],
  ['2001:0:7f00:1::', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['2001:10::1', 'reserved'],
  ['2001:20::1', 'reserved'],
  ['2001:db8::1', 'for documentation'],
  ['3fff::1', 'for documentation'],
  ['2002:7f00:1::', '6to4'],
  ['2002:808:808::', '6to4'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'unique local'],
  ['fe80::1%eth0', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['2a00::5efe:a00:1', 'private'],
  ['2a00::200:5efe:7f00:1', 'loopback'],
  ['localhost', 'not an address'],
  ['', 'not an address'],
  ['0x7f.1', 'not an address'],
  ['0177.0.0.1', 'not an address'],
  ['2130706433', 'not an address'],
  ['127.1', 'not an address'],
])('%s is %s', (address, kind) => {
  expect(refusedAddress(address)).toBe(kind)
})

test('an IPv4 address is judged alike inside IPv6, mapped and behind NAT64', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const kind = refusedAddress(address)
      expect(refusedAddress(`::ffff:${address}`)).toBe(kind)
      expect(refusedAddress(`64:ff9b::${address}`)).toBe(kind)
      expect(canonicalAddress(`::ffff:${address}`)).toBe(address)
    }),
    { seed: 7 },
  )
})
