import { expect, test } from 'vitest'
import { composeEmail } from '../../compose/compose-email.ts'
import { type PreflightFacts, planPreflight } from './plan-preflight.ts'

const composed = composeEmail(
  { subject: 'Hi {{name}}', markdown: 'text' },
  {
    kind: 'campaign',
    newsletter: { name: 'N', locale: 'en', logoUrl: null, footer: null, postalAddress: null },
    archiveUrl: undefined,
    tracking: { opens: false, clicks: false },
  },
)
const passed = (['spf', 'dkim', 'dmarc'] as const).map((use) => ({ use, state: 'pass' as const }))
const checkedAt = new Date('2026-11-20T00:00:00Z')

function facts(parts: Partial<PreflightFacts> = {}): PreflightFacts {
  return {
    composed,
    emptyHtml: '<p>text</p>',
    emptyText: 'text\n\n-- \nfooter',
    foreignTags: [],
    removed: [],
    hidden: [],
    audience: { subscribed: 10, suppressed: 0 },
    missing: new Map(),
    addresses: ['https://a.test/', 'mailto:x@y.test', '#top', 'https://{{attr.host}}/x'],
    domain: {
      name: 'news.test',
      check: { checkedAt, result: passed },
    },
    from: { kind: 'ok', domain: 'news.test' },
    postalAddress: '1 Street',
    ...parts,
  }
}

test('an email without errors is ready, and every check is ok', () => {
  const { ready, checks, audience } = planPreflight(facts())
  expect(ready).toBe(true)
  expect(audience).toEqual({ subscribed: 10, suppressed: 0, receiving: 10 })
  expect(checks.map(({ level }) => level)).toEqual(checks.map(() => 'ok'))
})

// biome-ignore format: the columns are the point
test.each([
  ['a domain that is not verified',  { from: { kind: 'refused', domain: 'news.test', sentence: 'Emails cannot be sent from news.test.' } }, 'from', 'error', 'cannot be sent from news.test'],
  ['one that lapsed',                { from: { kind: 'warning', domain: 'news.test', sentence: 'Not right any more.' } }, 'from', 'warning', 'Not right'],
  ['no subscribers',                 { audience: { subscribed: 0, suppressed: 0 } },                'audience', 'error',   'there are no subscribers'],
  ['everybody suppressed',           { audience: { subscribed: 3, suppressed: 3 } },                'audience', 'error',   'there are no subscribers'],
  ['some suppressed',                { audience: { subscribed: 3, suppressed: 1 } },                'audience', 'ok',      '2 subscribers get this; 1 is suppressed and gets nothing'],
  ['no way to leave',                { composed: { ...composed, email: { subject: [], html: [], text: [] } } }, 'unsubscribe', 'error', 'no unsubscribe link'],
  ['images alone  ',                 { emptyText: '-- \nfooter' },                                  'text',     'warning', 'only images'],
  ['90 KB',                          { emptyHtml: 'x'.repeat(90 * 1024) },                          'size',     'ok',      '90 KB'],
  ['more than 90 KB',                { emptyHtml: 'x'.repeat(90 * 1024 + 1) },                      'size',     'warning', '91 KB'],
  ['subscribers without a value',    { missing: new Map([['attr.city', 4]]) },                      'values',   'warning', '4 subscribers have no value for {{attr.city}}'],
  ['an empty link',                  { addresses: [''] },                                           'links',    'warning', '""'],
  ['a bare hash',                    { addresses: ['#'] },                                          'links',    'warning', '"#"'],
  ['a relative link',                { addresses: ['/about'] },                                     'links',    'warning', '"/about"'],
  ['an invalid address',             { addresses: ['http://'] },                                    'links',    'warning', '"http://"'],
  ['an address that is removed',     { removed: ['htp:/nope'] },                                    'links',    'warning', '"htp:/nope"'],
  ['more of them than are named',    { removed: ['a:1', 'a:2', 'a:3', 'a:4', 'a:5', 'a:6', 'a:7'] }, 'links',   'warning', '"a:5" and 2 more'],
  ['both kinds of links',            { addresses: ['#'], removed: ['htp:/nope'] },                  'links',    'warning', 'nowhere: "#". Removed'],
  ['a domain never checked',         { domain: { name: 'news.test', check: undefined } },           'domain',   'warning', 'have not been checked'],
  ['a record that is wrong',         { domain: { name: 'news.test', check: { checkedAt, result: [passed[0], { use: 'dkim', state: 'wrong' }] } } }, 'domain', 'warning', 'DKIM, DMARC'],
  ['a hidden unsubscribe link',      { hidden: [{ part: 'unsubscribe', by: 'display: none' }] },    'unsubscribe', 'error', 'The styles hide the unsubscribe link (display: none)'],
  ['a hidden postal address',        { hidden: [{ part: 'postal', by: 'opacity' }] },               'postal',   'error',   'The styles hide the postal address (opacity)'],
  ['merge tags of others',           { foreignTags: ['*|FNAME|*'] },                                'merge_tags', 'warning', '"*|FNAME|*"'],
  ['no postal address',              { postalAddress: ' ' },                                        'postal',   'warning', 'No postal address'],
] as const)('%s', (_name, parts, name, level, sentence) => {
  const { ready, checks } = planPreflight(facts(parts as Partial<PreflightFacts>))
  const check = checks.find((found) => found.name === name)
  expect(check?.level).toBe(level)
  expect(check?.sentence).toContain(sentence)
  expect(ready).toBe(level !== 'error')
})
