import { expect, test } from 'vitest'
import { ipKey } from './ip-key.ts'

// biome-ignore format: the columns are the point
test.each([
  ['IPv4 stays', '192.0.2.1', '192.0.2.1'],
  ['IPv4 within IPv6 is IPv4', '::ffff:192.0.2.1', '192.0.2.1'],
  ['also in hexadecimal', '::FFFF:c000:0201', '192.0.2.1'],
  ['IPv6 counts by its network of 64 bits', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['whatever the host', '2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['and however it is written', '2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['another network is another', '2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['loopback', '::1', '0:0:0:0::/64'],
  ['the zone does not matter', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['a text is none', 'localhost', undefined],
  ['nor nothing', '', undefined],
  ['nor three parts', '192.0.2', undefined],
  ['nor octal', '010.0.0.1', undefined],
  ['nor a number', '3232235777', undefined],
  ['nor a port beside it', '192.0.2.1:80', undefined],
  ['nor brackets', '[::1]', undefined],
  ['nor a network', '192.0.2.0/24', undefined],
  ['nor spaces', ' 192.0.2.1', undefined],
  ['nor a list', '192.0.2.1, 192.0.2.2', undefined],
  ['nor a long zone', `fe80::1%${'x'.repeat(100)}`, undefined],
] as const)('%s', (_name, text, key) => {
  expect(ipKey(text)).toBe(key)
})
