import { expect, test } from 'vitest'
import { ipKey } from './ip-key.ts'

// biome-ignore format: the columns are the point
test.each([
  ['IPv4 is unchanged', '192.0.2.1', '192.0.2.1'],
  ['IPv4 within IPv6 is IPv4', '::ffff:192.0.2.1', '192.0.2.1'],
  ['IPv4 within IPv6 in hexadecimal', '::FFFF:c000:0201', '192.0.2.1'],
  ['IPv6 counts by its /64 network', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['another host of the same network', '2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['another spelling of the same network', '2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['another network', '2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['loopback', '::1', '0:0:0:0::/64'],
  ['the zone is ignored', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['not an address: a name', 'localhost', undefined],
  ['not an address: an empty text', '', undefined],
  ['not an address: three parts', '192.0.2', undefined],
  ['not an address: octal', '010.0.0.1', undefined],
  ['not an address: a number', '3232235777', undefined],
  ['not an address: with a port', '192.0.2.1:80', undefined],
  ['not an address: brackets', '[::1]', undefined],
  ['not an address: a network', '192.0.2.0/24', undefined],
  ['not an address: with a space', ' 192.0.2.1', undefined],
  ['not an address: a list', '192.0.2.1, 192.0.2.2', undefined],
  ['not an address: a long zone', `fe80::1%${'x'.repeat(100)}`, undefined],
] as const)('%s', (_name, text, key) => {
  expect(ipKey(text)).toBe(key)
})
