/**
 * Puts hostile text of authors and contacts into every place of an email: nothing that runs, loads
 * or navigates without a click is sent.
 */
import { describe, expect, test } from 'vitest'
import { type Contact, fillEmail } from '#schemas/mail/compiled-email.ts'
import type { CampaignFrame } from './campaign-frame.ts'
import { composeArticle } from './compose-article.ts'
import { composeEmail, type EmailSource } from './compose-email.ts'
import { honeypotLinkIndex } from './track-links.ts'

const links = {
  unsubscribe: 'https://sluice.test/u/T',
  preferences: 'https://sluice.test/preferences/T',
  openPixel: 'https://sluice.test/o/T.gif',
  clickBase: 'https://sluice.test/c/T',
}

const frame: CampaignFrame = {
  kind: 'campaign',
  newsletter: {
    name: 'News & <More>',
    locale: 'en',
    logoUrl: 'https://sluice.test/logo.png',
    footer: 'Made by *us*',
    postalAddress: '1 Street\nTown',
  },
  archiveUrl: 'https://sluice.test/archive/news/first',
  tracking: { opens: true, clicks: true },
}

function send(source: Partial<EmailSource>, contact: Contact = {}) {
  const { email } = composeEmail({ subject: 's', ...source }, { kind: 'send' })
  return fillEmail(email, contact)
}

/** The body within the layout of a transactional email. */
function bodyOf(html: string): string {
  return /<div class="sluice-text"[^>]*>([\s\S]*)<\/div>\s*<\/div>/.exec(html)?.[1]?.trim() ?? html
}

const values = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" style="position:fixed',
  'javascript:alert(1)',
  'JaVa\tScript:alert(1)',
  'data:text/html;base64,PHNjcmlwdD4=',
  'vbscript:x',
  '{{name}} {{attr.y}}',
  '</title><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '--><script>alert(1)</script>',
  '](javascript:alert(1))',
  '![x](https://evil.test/x.png)',
  '**bold** # heading',
  'a\r\nBcc: evil@evil.test',
  'red; background: url(https://evil.test)',
  'expression(alert(1))',
  '\u0000\u202e\ud800',
]

const places: readonly [name: string, source: Partial<EmailSource>][] = [
  ['the subject', { subject: 'Hi {{attr.x}}', markdown: 'x' }],
  ['the preview text', { previewText: '{{attr.x}}', markdown: 'x' }],
  ['Markdown text', { markdown: 'Hello {{attr.x}} and **{{attr.x}}**' }],
  ['a Markdown heading', { markdown: '# {{attr.x}}' }],
  ['Markdown code', { markdown: '`{{attr.x}}`\n\n```\n{{attr.x}}\n```' }],
  ['a Markdown link', { markdown: '[{{attr.x}}]({{attr.x}} "{{attr.x}}")' }],
  ['a Markdown image', { markdown: '![{{attr.x}}](https://a.test/{{attr.x}})' }],
  ['a Markdown table', { markdown: '| a |\n|---|\n| {{attr.x}} |' }],
  ['HTML text', { html: '<p>{{attr.x}}</p>' }],
  ['an attribute', { html: '<p title="{{attr.x}}" class=\'{{attr.x}}\'>a</p>' }],
  ['an attribute without quotes', { html: '<p title={{attr.x}}>a</p>' }],
  ['an attribute’s name', { html: '<p {{attr.x}}="1" {{attr.x}}>a</p>' }],
  ['a tag’s name', { html: '<{{attr.x}}>a</{{attr.x}}>' }],
  ['the beginning of an address', { html: '<a href="{{attr.x}}">a</a><img src=" {{attr.x}}">' }],
  [
    'the rest of an address',
    { html: '<a href="https://a.test/{{attr.x}}?q={{attr.x}}#{{attr.x}}">a</a>' },
  ],
  [
    'a scheme that is put together',
    { html: '<a href="java{{attr.x}}:alert(1)">a</a><a href="{{attr.x}}:alert(1)">b</a>' },
  ],
  ['a style', { html: '<p style="color: {{attr.x}}; background: url({{attr.x}})">a</p>' }],
  [
    'a style element',
    { html: '<style>p { color: {{attr.x}} } {{attr.x}} { color: red }</style><p>a</p>' },
  ],
  ['a comment', { html: '<!-- {{attr.x}} --><p>a</p>' }],
  [
    'a conditional comment',
    { html: '<!--[if mso]><p title="{{attr.x}}">{{attr.x}}</p><![endif]--><p>a</p>' },
  ],
  ['a script', { html: '<script>{{attr.x}}</script><p>a</p>' }],
]

/**
 * Finds dangerous tags, attributes and addresses as a browser does; text that looks like one is
 * safe.
 */
function dangersIn(html: string): string[] {
  const bare = html.replace(/<style>[\s\S]*?<\/style>/g, '')
  const tags = bare.match(/<[a-z!/](?:[^"'>]|"[^"]*"|'[^']*')*>/gi) ?? []
  return tags.filter((tag) => {
    const names = tag.replace(/"[^"]*"|'[^']*'/g, '""')
    const addresses = [...tag.matchAll(/\s(?:href|src|background)="([^"]*)"/g)].map((m) => m[1]!)
    const styles = [...tag.matchAll(/\sstyle="([^"]*)"/g)].map((m) => m[1]!)
    return (
      /<\/?(?:script|svg|iframe|object|embed|form|input|base|link|math)\b/i.test(names) ||
      /\son\w+\s*=/i.test(names) ||
      addresses.some((address) =>
        /^\s*(?!https?:|mailto:|tel:|#|data:image\/png;)[\w+.-]*\s*:/i.test(address),
      ) ||
      styles.some((style) => /url\(|expression\(|javascript:|position:\s*fixed/i.test(style))
    )
  })
}

describe.each(places)('a value in %s', (_place, source) => {
  test.each(values)('cannot do more than be read: %j', (x) => {
    const { email } = composeEmail({ subject: 's', ...source }, frame)
    const { subject, html, text } = fillEmail(email, {
      name: 'NAME',
      attribs: { x, y: 'Y' },
      links,
    })
    expect(dangersIn(html)).toEqual([])
    expect(html).not.toMatch(/zq\d+s\d/)
    expect(text).not.toMatch(/zq\d+s\d/)
    expect(subject).not.toMatch(/[\r\n]/)
    // Slots are filled in one pass: placeholders within a value stay text.
    expect(html + text + subject).not.toContain('NAME')
    // The layout is whole: everything after the value is still there.
    expect(html.endsWith('</body>\n</html>\n')).toBe(true)
    expect(html.match(/<\/style>/g)?.length).toBe(1)
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['script',            '<script>alert(1)</script><p>a</p>',                          '<p>a</p>'],
  ['script in pieces',  '<scr<script>ipt>alert(1)</scr</script>ipt><p>a</p>',         undefined],
  ['event attributes',  '<p onclick="x" ONLOAD=x>a</p>',                               '<p>a</p>'],
  ['frames and forms',  '<iframe src="https://x.test"></iframe><form action="/x"><input name="a"><button>b</button></form>a', 'a'],
  ['a script address',  '<a href="javascript:alert(1)">a</a>',                         '<a>a</a>'],
  ['one in disguise',   '<a href=" java&#10;script&colon;alert(1)">a</a>',             '<a>a</a>'],
  ['a data address',    '<a href="data:text/html,x">a</a>',                            '<a>a</a>'],
  ['a file address',    '<img src="file:///etc/passwd" alt="x">',                      '<img alt="x">'],
  ['no scheme',         '<img src="//x.test/a.png" alt="x">',                          '<img alt="x">'],
  ['an SVG picture',    '<img src="data:image/svg+xml;base64,PHN2Zz4=" alt="x">',      '<img alt="x">'],
  ['a small picture',   '<img src="data:image/png;base64,iVBORw0KGgo=" alt="x">',      '<img alt="x" src="data:image/png;base64,iVBORw0KGgo=">'],
  ['SVG and MathML',    '<svg><script>1</script><a xlink:href="javascript:x">y</a></svg><math><mi>z</mi></math>a', 'a'],
  ['meta and base',     '<meta http-equiv="refresh" content="0;url=x"><base href="https://x.test/"><link rel="stylesheet" href="x">a', 'a'],
  ['style that loads',  '<p style="background: url(javascript:x); color: red">a</p>',  '<p style="color: red">a</p>'],
  ['style that ran',    '<p style="width: expression(alert(1)); behavior: url(x.htc)">a</p>', '<p>a</p>'],
  ['style with escapes', '<p style="color: \\72 ed; top: 1px">a</p>',                  '<p style="top: 1px">a</p>'],
  ['fonts in quotes',   '<p style=\'font-family: "A B", serif\'>a</p>',                "<p style=\"font-family: 'A B', serif\">a</p>"],
  ['a comment',         '<!-- secret --><p>a</p>',                                     '<p>a</p>'],
  ['old layout',        '<table bgcolor="#fff" cellpadding="0"><tr><td width="10" align="center" valign="top"><font color="red">a</font></td></tr></table>',
                        '<table bgcolor="#fff" cellpadding="0"><tr><td width="10" align="center" valign="top"><font color="red">a</font></td></tr></table>'],
  ['an anchor',         '<a href="#x" name="y">a</a><p id="x">b</p>',                  '<a href="#x" name="y">a</a><p id="x">b</p>'],
])('in an author’s HTML, %s is reduced to the allow-list', (_name, html, want) => {
  const { body } = composeArticle({ subject: 's', html })
  if (want !== undefined) expect(body.replaceAll(' />', '>')).toBe(want)
  expect(dangersIn(body)).toEqual([])
  const email = composeEmail({ subject: 's', html }, { kind: 'send' }).email
  expect(dangersIn(fillEmail(email, {}).html)).toEqual([])
})

test('braces do not bypass the sanitiser or the inliner', () => {
  const html = '<p>{{" onload="alert(1)}} <% "><b>x</b> %></p><p title="JUICE_CODE_BLOCK_0_">y</p>'
  expect(dangersIn(send({ html: `<style>p{color:red}</style>${html}` }).html)).toEqual([])
})

// biome-ignore format: the columns are the point
test.each([
  ['emphasis',          '*a* **b** ~~c~~',           '<p><em>a</em> <strong>b</strong> <s>c</s></p>'],
  ['a list',            '- a\n- b',                  '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ['a bare address',    'see https://a.test/x?y=1.', '<p>see <a href="https://a.test/x?y=1">https://a.test/x?y=1</a>.</p>'],
  ['no bare address',   'README.md',                 '<p>README.md</p>'],
  ['code',              '`<b>`',                     '<p><code>&lt;b&gt;</code></p>'],
  ['raw HTML',          'a <u>b</u>',                '<p>a <u>b</u></p>'],
  ['a hard break',      'a  \nb',                    '<p>a<br />\nb</p>'],
  ['entities',          '&copy; &lt; AT&T',          '<p>© &lt; AT&amp;T</p>'],
  ['a reference',       '[a]\n\n[a]: https://a.test', '<p><a href="https://a.test">a</a></p>'],
  ['a title',           '## T {{name | x}}',         '<h2>T x</h2>'],
])('Markdown supports %s', (_name, markdown, want) => {
  expect(composeArticle({ subject: 's', markdown }).body).toBe(want)
})

describe('a campaign', () => {
  const markdown = [
    '[a](https://a.test/?x=1&y=2) [again](https://a.test/?x=1&y=2) [b](https://b.test)',
    '[mail](mailto:x@y.test) [anchor](#x) [own](https://c.test/{{attr.id}})',
    '<a data-no-track href="https://quiet.test">quiet</a>',
  ].join('\n\n')
  const composed = composeEmail(
    { subject: 'Hi {{name | you}}', previewText: 'Sooner', markdown },
    frame,
  )
  const filled = fillEmail(composed.email, { attribs: { id: 'a/b' }, links })

  test('counts links without placeholders, each address once', () => {
    expect(composed.links).toEqual(['https://a.test/?x=1&y=2', 'https://b.test'])
    const hrefs = [...filled.html.matchAll(/href="([^"]*)"/g)].map((match) => match[1])
    expect(hrefs).toEqual([
      'https://sluice.test/c/T/0',
      'https://sluice.test/c/T/0',
      'https://sluice.test/c/T/1',
      'mailto:x@y.test',
      '#x',
      'https://c.test/a%2Fb',
      'https://quiet.test',
      'https://sluice.test/u/T',
      'https://sluice.test/preferences/T',
      'https://sluice.test/archive/news/first',
      `https://sluice.test/c/T/${honeypotLinkIndex}`,
    ])
    expect(filled.html).not.toContain('data-no-track')
  })

  test('contains preview text, logo, footer and pixel, and the text part all but the images', () => {
    expect(filled.subject).toBe('Hi you')
    expect(filled.html).toContain('Sooner')
    expect(filled.html).toContain('mso-hide:all')
    expect(filled.html).toContain('src="https://sluice.test/o/T.gif"')
    expect(filled.html).toContain('News &amp; &lt;More&gt;')
    expect(filled.text).not.toContain('Sooner')
    expect(filled.text).toContain('a (https://a.test/?x=1&y=2)')
    expect(filled.text).toContain('own (https://c.test/a%2Fb)')
    expect(filled.text).toContain('Unsubscribe: https://sluice.test/u/T')
    expect(filled.text).toContain('1 Street\nTown')
  })

  test('without tracking has its original links and no pixel', () => {
    const quiet = { ...frame, tracking: { opens: false, clicks: false } }
    const { email, links: counted } = composeEmail({ subject: 's', markdown }, quiet)
    expect(counted).toEqual([])
    const { html } = fillEmail(email, { links })
    expect(html).toContain('href="https://a.test/?x=1&amp;y=2"')
    expect(html).not.toMatch(/sluice\.test\/[oc]\//)
  })
})

test('a transactional email has no footer, no tracking and no links of a contact', () => {
  const { email, links: counted } = composeEmail(
    { subject: 's', markdown: '[a](https://a.test)', previewText: 'p' },
    { kind: 'send' },
  )
  expect(counted).toEqual([])
  expect([...email.html, ...email.text].every((part) => typeof part === 'string')).toBe(true)
})

test('styles are inlined, media queries stay, and a whole document keeps its design', () => {
  const html = `<!doctype html><html><head><title>T</title><style>.a{color:red} @media (max-width:9px){.a{color:blue}}</style>
    <style media="print">.a{color:black}</style></head><body bgcolor="#eee"><p class="a">x</p></body></html>`
  const filled = send({ html }).html
  expect(filled).toContain('<p class="a" style="color: red;">x</p>')
  expect(filled).toMatch(/@media \(max-width:\s?9px\)/)
  expect(filled).toContain('@media print')
  expect(filled).toContain('bgcolor="#eee"')
  expect(filled).not.toContain('sluice-text')
})

test('conditional comments are kept when they contain layout only', () => {
  const html =
    '<!--[if mso]><table><tr><td><![endif]-->a<!--[if mso]><script>1</script><![endif]-->'
  const filled = send({ html }).html
  expect(filled).toContain('<!--[if mso]><table><tr><td><![endif]-->a')
  expect(filled).not.toContain('script')
  expect(composeArticle({ subject: 's', html }).body).toBe('a')
})

test('the text part lays out tables of data by column and names pictures', () => {
  const markdown = '| a | b |\n|---|---|\n| 1 | 2 |\n\n![alt text](https://a.test/x.png)'
  const { text } = send({ markdown })
  expect(text).toMatch(/^a +b\n1 +2$/m)
  expect(text).toContain('[alt text]')
})

test('an author is warned of unknown placeholders, of size and of many placeholders', () => {
  const warnings = (markdown: string) =>
    composeEmail({ subject: 's', markdown }, { kind: 'send' }).warnings
  expect(warnings('{{foo}}')).toEqual(['{{foo}} is not a placeholder and is sent unchanged.'])
  expect(warnings('x'.repeat(100_000))[0]).toContain('90 KB')
  expect(() => warnings('{{name}}'.repeat(1_001))).toThrow('1000 placeholders')
})

test('marks that an author wrote are text', () => {
  const { html, text } = send({ markdown: 'zq0s0z {{name}} zq1s0z' }, { name: 'Ada' })
  expect(bodyOf(html)).toContain('zq0s0z Ada zq1s0z')
  expect(text).toBe('zq0s0z Ada zq1s0z\n')
})

// biome-ignore format: the columns are the point
test.each([
  ['20,001 tags',                  { html: '<br>'.repeat(20_001) },                  '`html`: must hold at most 20000 tags'],
  ['50,001 marks of Markdown',     { markdown: '['.repeat(50_001) },                 '`markdown`: must hold at most 50000 marks'],
  ['few marks that make many tags', { markdown: `${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n${'|\n'.repeat(200)}` }, '`markdown`: must make at most 20000 tags'],
])('an email of %s is refused before it costs seconds', (_name, source, want) => {
  expect(() => send(source)).toThrow(want)
})

test('a style sheet of endless levels is left out', () => {
  const { html } = send({ html: `<style>${'@media x{'.repeat(20_000)}</style><p>a</p>` })
  expect(html).toContain('a</p>')
  expect(html).not.toContain('@media x')
})
