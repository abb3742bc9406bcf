/** For tests: what every reader of `X-Forwarded-For` has to make of a header. */

export const caseProxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] as const

const evil = '6.6.6.6'
const client = '198.51.100.7'

// biome-ignore format: the columns are the point
export const forwardedCases: readonly (readonly [why: string, peer: string, header: string, client: string])[] = [
  ['a trusted proxy names its client',          '10.0.0.1',           client,                                         client],
  ['what the client wrote is not read',         '10.0.0.1',           `${evil}, ${client}`,                           client],
  ['through two trusted proxies',               '10.0.0.1',           `${evil}, ${client}, 10.2.3.4`,                 client],
  ['a trusted address written by the client',   '10.0.0.1',           `10.9.9.9, ${client}, 10.2.3.4`,                client],
  ['a peer that is not trusted',                '9.9.9.9',            client,                                         '9.9.9.9'],
  ['no header',                                 '10.0.0.1',           '',                                             '10.0.0.1'],
  ['trusted addresses alone',                   '10.0.0.1',           '10.0.0.3, 10.0.0.2',                           '10.0.0.3'],
  ['no spaces',                                 '10.0.0.1',           `${evil},${client},10.2.3.4`,                   client],
  ['tabs and spaces',                           '10.0.0.1',           `${evil},\t ${client} \t,  10.2.3.4 `,          client],
  ['empty entries',                             '10.0.0.1',           `${evil},,${client}, ,10.2.3.4,`,               client],
  ['commas alone',                              '10.0.0.1',           ',,, ,',                                        '10.0.0.1'],
  ['no address: the proxy that wrote it',       '10.0.0.1',           `${client}, unknown, 10.2.3.4`,                 '10.2.3.4'],
  ['no address, nearest',                       '10.0.0.1',           `${client}, 10.2.3.4, unknown`,                 '10.0.0.1'],
  ['a number that is too high',                 '10.0.0.1',           `${client}, 10.256.0.1`,                        '10.0.0.1'],
  ['an obfuscated name',                        '10.0.0.1',           `${client}, _hidden`,                           '10.0.0.1'],
  ['NUL',                                       '10.0.0.1',           `${client}\0`,                                  '10.0.0.1'],
  ['an entry of many characters',               '10.0.0.1',           `${client}, ${'1'.repeat(9_000)}`,              '10.0.0.1'],
  ['many entries',                              '10.0.0.1',           `${`${evil},`.repeat(1_000)}${client}`,         client],
  ['more trusted hops than are followed',       '10.0.0.1',           `${client}, ${Array(40).fill('10.0.0.9')}`,     '10.0.0.9'],
  ['a port',                                    '10.0.0.1',           `${evil}, ${client}:52113`,                     client],
  ['a proxy with its port',                     '10.0.0.1',           `${client}, 10.2.3.4:443`,                      client],
  ['IPv6',                                      '10.0.0.1',           `${evil}, 2a00:1:2:3::4`,                       '2a00:1:2:3::4'],
  ['IPv6 in brackets',                          '10.0.0.1',           `${evil}, [2a00:1:2:3::4]`,                     '2a00:1:2:3::4'],
  ['IPv6 with its port',                        '10.0.0.1',           `${evil}, [2a00:1:2:3::4]:443`,                 '2a00:1:2:3::4'],
  ['a trusted IPv6 proxy with its port',        '2001:db8::1',        `${client}, [2001:db8::2]:443`,                 client],
  ['an open bracket',                           '10.0.0.1',           `${client}, [2a00::1`,                          '10.0.0.1'],
  ['a proxy on a dual-stack socket',            '::ffff:10.0.0.1',    client,                                         client],
  ['a proxy as IPv4 inside IPv6',               '10.0.0.1',           `${client}, ::ffff:10.2.3.4`,                   client],
  ['the same in hex',                           '10.0.0.1',           `${client}, ::ffff:a02:304`,                    client],
  ['a client as IPv4 inside IPv6',              '10.0.0.1',           `${evil}, ::ffff:${client}`,                    client],
  ['a single trusted address',                  '192.0.2.7',          client,                                         client],
  ['its neighbour',                             '192.0.2.8',          client,                                         '192.0.2.8'],
]
