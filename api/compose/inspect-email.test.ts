/** Styles that hide the footer, in every way there is, and styles that only look as if they did. */
import { describe, expect, test } from 'vitest'
import type { CampaignFrame } from './campaign-frame.ts'
import { inspectEmail } from './inspect-email.ts'

const frame: CampaignFrame = {
  kind: 'campaign',
  newsletter: {
    name: 'N',
    locale: 'en',
    logoUrl: null,
    footer: null,
    postalAddress: '1 Main & Sons Street\nTown',
  },
  archiveUrl: undefined,
  tracking: { opens: false, clicks: true },
}

function hiddenParts(css: string, body = '<p>x</p>') {
  const html = `<!doctype html><html><head><style>${css}</style></head><body>${body}</body></html>`
  return inspectEmail({ subject: 's', html }, frame).hidden.map(({ part }) => part)
}

const hiding = [
  'display: none',
  'display: none !important',
  'visibility: hidden',
  'visibility: collapse',
  'opacity: 0',
  'opacity: 0%',
  'font-size: 0',
  'font-size: 1px',
  'font-size: .1em',
  'max-height: 0; overflow: hidden',
  'height: 0px; overflow: hidden',
  'width: 1px; overflow: hidden',
  'mso-hide: all',
  'position: absolute; left: -9999px',
  'position: absolute; top: -500em',
  'text-indent: -9999px',
  'margin-left: -2000px',
  'transform: scale(0)',
  'transform: translateX(-9999px)',
  'clip-path: inset(100%)',
  'position: absolute; clip: rect(0 0 0 0)',
  'filter: opacity(0)',
]
const colours = [
  'color: #fff',
  'color: white',
  'color: #fefefe',
  'color: rgb(255, 255, 255)',
  'color: transparent',
  'color: rgba(0,0,0,0)',
  '-webkit-text-fill-color: #ffffff',
]

describe.each(['.sluice-footer', 'div', 'body', 'body *'])('rules for %s', (selector) => {
  // The footer has a font size of its own, so that of what is around it does not matter.
  const isAround = selector === 'div' || selector === 'body'
  test.each(hiding.filter((one) => !isAround || !one.startsWith('font-size')))(
    '%s hides the footer',
    (declarations) => {
      expect(hiddenParts(`${selector} { ${declarations} }`)).toEqual(['unsubscribe', 'postal'])
    },
  )
})

test.each(colours)('on white, %s hides the footer', (declaration) => {
  expect(hiddenParts(`.sluice-footer, .sluice-footer * { ${declaration} !important }`)).toEqual([
    'unsubscribe',
    'postal',
  ])
})

test('the contrast is computed against the background', () => {
  expect(hiddenParts('.sluice-footer { background: #57606a url(https://a.test/x.png) }')).toEqual([
    'unsubscribe',
    'postal',
  ])
})

test.each([
  '@media screen { .sluice-footer { display: none !important } }',
  '@media (max-width: 600px) { .sluice-footer { max-height: 0 !important; overflow: hidden } }',
])('a block of the head hides parts of the footer: %s', (css) => {
  expect(hiddenParts(css)).toEqual(['unsubscribe', 'postal'])
})

test('a rule for links hides the unsubscribe link only', () => {
  expect(hiddenParts('a { display: none }')).toEqual(['unsubscribe'])
  expect(hiddenParts('a:link { display: none !important }')).toEqual(['unsubscribe'])
})

test('a style sheet that is too large to be inlined hides parts of the footer', () => {
  const many = '.a .b { color: red } '.repeat(600)
  const rows = '<p class="b">x</p>'.repeat(1_000)
  expect(hiddenParts(`${many} .sluice-footer { display: none }`, rows)).toEqual([
    'unsubscribe',
    'postal',
  ])
})

test.each([
  '',
  '.preheader { display: none }',
  '@media print { .sluice-footer { display: none !important } }',
  '.sluice-footer { font-size: 11px; color: #777; opacity: .8; margin: -10px auto 0 }',
  '.sluice-footer { background: #000; color: #eee } .sluice-footer a { color: #fff }',
  'a:hover { display: none }',
  // Inlining leaves such blocks out.
  '@supports (display: block) { .sluice-footer { display: none !important } }',
  'body { overflow: hidden; max-width: 600px }',
  '@media (prefers-color-scheme: dark) { body { background: #000 !important } }',
  '.wide { position: relative; left: 0 }',
])('not a merge tag: %s', (css) => {
  expect(hiddenParts(css)).toEqual([])
})

test.each([
  '@media screen { a[href*="/u/"] { display: none !important } }',
  '@media screen { @media all { a { display: none !important } } }',
  'a { font: 0/0 a }',
  'a { font: italic 700 1px/1 Arial !important }',
  'a { display: \\6e one !important }',
  'a { display: /* x */ none !important }',
])('another notation: %s', (css) => {
  expect(hiddenParts(css)).toEqual(['unsubscribe'])
})

test.each(['a { font: 700 14px/1.5 Arial }', 'a { font: bold 1em x }', 'a { font: inherit }'])(
  'a font that can be read: %s',
  (css) => {
    expect(hiddenParts(css)).toEqual([])
  },
)

test('hidden parts of the author’s text are not reported', () => {
  const body = '<div style="display:none">preview</div><div style="display:none">open'
  expect(hiddenParts('', body)).toEqual([])
})

test('Markdown has nothing hidden', () => {
  expect(inspectEmail({ subject: 's', markdown: '# Hi' }, frame).hidden).toEqual([])
})

test('merge tags of other products are found, placeholders are not', () => {
  const markdown =
    '*|FNAME|* {% if x %} {{ name }} %recipient.first% {{{raw}}} %%email%% {{attr.city | x}} 100% of 5%'
  expect(inspectEmail({ subject: '*|LIST:NAME|*', markdown }, frame).foreignTags).toEqual([
    '*|LIST:NAME|*',
    '*|FNAME|*',
    '{% if x %}',
    '%recipient.first%',
    '{{{raw}}}',
    '%%email%%',
  ])
})

// biome-ignore format: the columns are the point
test.each([
  ['allowed schemes',                '<a href="https://a.test">x</a><a href="mailto:a@b.test">x</a><a href="tel:1">x</a>', []],
  ['relative addresses and anchors', '<a href="/x">x</a><a href="#top">x</a><img src="x.png">',    []],
  ['a placeholder',                  '<a href="{{attr.url}}">x</a>',                               []],
  ['a typing error',                 '<a href="htp:/nope">x</a>',                                  ['htp:/nope']],
  ['each address once',              '<a href="htp:/nope">x</a><a class="b" href="htp:/nope">y</a>', ['htp:/nope']],
  ['an encoded address',             '<a href="htp:/nope?a&amp;b">x</a>',                          ['htp:/nope?a&b']],
  ['a script',                       '<a href="JavaScript:alert(1)">x</a>',                        ['JavaScript:alert(1)']],
  ['the scheme of the page',         '<a href="//a.test">x</a><img src="//a.test/x.png">',         ['//a.test', '//a.test/x.png']],
  ['a file',                         '<img src="file:///C:/logo.png">',                            ['file:///C:/logo.png']],
  ['an image in the email',          '<img src="data:image/png;base64,AAAA">',                     []],
])('names what is removed from links and images: %s', (_name, html, removed) => {
  expect(inspectEmail({ subject: 's', html }, frame).removed).toEqual(removed)
})

test('names a link of Markdown that is removed', () => {
  const markdown = '[more](htp:/nope) and [fine](https://a.test)'
  const { removed, addresses } = inspectEmail({ subject: 's', markdown }, frame)
  expect(removed).toEqual(['htp:/nope'])
  expect(addresses).toEqual(['https://a.test'])
})
