import { expect, test } from 'vitest'
import { honeypotLinkIndex } from '../compose/track-links.ts'
import { type Hit, markMachines } from './mark-machines.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

function hit(parts: Partial<Hit> = {}): Hit {
  return {
    campaignId: 'c',
    contactId: 'r',
    kind: 'click',
    linkIndex: 0,
    isProbe: false,
    userAgent: firefox,
    atMs: 100_000,
    ...parts,
  }
}

// biome-ignore format: the columns are the point
test.each([
  ['a browser, long after the email',            hit(),                                             [],  10_000, false],
  ['a HEAD request',                             hit({ isProbe: true }),                            [],  10_000, true],
  ['no name at all',                             hit({ userAgent: null }),                          [],  10_000, true],
  ['a scanner that says so',                     hit({ userAgent: 'BarracudaCentral/1.0' }),        [],  10_000, true],
  ['a program',                                  hit({ userAgent: 'python-requests/2.32' }),        [],  10_000, true],
  ['the bare name of a privacy proxy',           hit({ userAgent: 'Mozilla/5.0', kind: 'open' }),   [],  10_000, true],
  ['the proxy through which people of Gmail look', hit({ userAgent: `${firefox} (via ggpht.com GoogleImageProxy)`, kind: 'open' }), [], 10_000, false],
  ['9.999 seconds after the email',              hit({ atMs: 19_999 }),                             [],  10_000, true],
  ['10 seconds after the email',                 hit({ atMs: 20_000 }),                             [],  10_000, false],
  ['an email of unknown time',                   hit(),                                             [],  null,   false],
  ['two links at once',                          hit(),                                             [hit({ linkIndex: 1 })], 10_000, false],
  ['three links within two seconds',             hit(),                                             [hit({ linkIndex: 1, atMs: 101_000 }), hit({ linkIndex: 2, atMs: 102_000 })], 10_000, true],
  ['the last of three within two seconds',       hit(),                                             [hit({ linkIndex: 1, atMs: 98_000 }), hit({ linkIndex: 2, atMs: 99_000 })], 10_000, true],
  ['three links in 2.001 seconds',               hit(),                                             [hit({ linkIndex: 1, atMs: 101_000 }), hit({ linkIndex: 2, atMs: 102_001 })], 10_000, false],
  ['one link three times',                       hit(),                                             [hit(), hit()], 10_000, false],
  ['three links of three contacts',              hit(),                                             [hit({ linkIndex: 1, contactId: 's' }), hit({ linkIndex: 2, contactId: 't' })], 10_000, false],
  ['beside the link that nobody can see',        hit(),                                             [hit({ linkIndex: honeypotLinkIndex, atMs: 101_500 })], 10_000, true],
  ['an open beside that link',                   hit({ kind: 'open', linkIndex: null }),            [hit({ linkIndex: honeypotLinkIndex })], 10_000, true],
  ['long after that link',                       hit(),                                             [hit({ linkIndex: honeypotLinkIndex, atMs: 90_000 })], 10_000, false],
] as const)('%s', (_name, judged, others, handedOverMs, want) => {
  expect(markMachines([judged], [judged, ...others], [handedOverMs])).toEqual([want])
})
