/**
 * Hostile documents, read back with the HTML parser of browsers (parse5, through cheerio):
 * composing never lets through an element, an attribute or an address that is not on the
 * allow-list, neither in the email nor on the archive page, for any values of the contact.
 */
import { load } from 'cheerio'
import { type AnyNode, type Element, isComment, isTag, isText } from 'domhandler'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { composeArticle } from './compose-article.ts'
import { composeEmail, type EmailSource } from './compose-email.ts'
import type { CampaignFrame } from './email-source.ts'
import { mailAttributes, mailTags } from './html/allowed-html.ts'

// biome-ignore format: one line for each kind.
const token = fc.constantFrom(
  '<', '>', '"', "'", '/', '=', ' ', '\n', '\t', '\u0000', '&', ';', '&lt;', '&#106;', '&Tab;', '&colon;', 'x', '`',
  '<p ', '</p>', '<div>', '</div>', '<td>', '</td>', '<tr>', '<table>', '</table>', '<li>', '<h1>', '</h1>', '<b>', '<foo>', '</foo>', '<br>',
  '<body>', '</body>', '</html>', '<head>', '</head>', '<title>', '</title>', '<noscript>', '</noscript>', '<textarea>', '<xmp>', '</xmp>',
  '<script>', '</script>', '<svg ', '<math>', '</math>', '<mtext>', '<mglyph>', '<iframe srcdoc="', '<object data=', '<embed src=', '<form action="', '<template>', '<select>',
  '<base href="', '<link rel=stylesheet href="', '<meta http-equiv=refresh content="0;url=', '<input autofocus ', '<plaintext>', '<noembed>', '<marquee ', '<video ',
  '<!--', '-->', '--!>', '<!-->', '<!--[if mso]>', '<!--[if !mso]><!-->', '<!--<![endif]-->', '<![endif]-->', '<![CDATA[', ']]>', '<?xml ', '?>', '<!doctype html>',
  '<style>', '</style>', '<style media="', 'p{color:red}', '@import "https://x.test"', 'url(javascript:alert(1))', 'expression(alert(1))', '\\65xpression(1)', '{', '}', ':',
  '<a href="', "<a href='", '<a href=', '<img src=x ', '<img src="', 'javascript:', 'java\tscript:', 'JaVaScRiPt&colon;', 'java&#115;cript:alert(1)', 'vbscript:x', 'data:text/html,<script>',
  'https://a.test/', '//a.test/', 'mailto:a@b.test', ' onclick=', ' onerror="alert(1)"', '/onload=', ' style="', ' class="a"', ' title="', ' background="',
  '{{name}}', '{{attr.x}}', '{{attr.x | " onload=1}}', '{{', '}}', 'zq0s0z', 'zc0c0z', '<v:rect href="', '<sluice-slot id="body">',
)
const documents = fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join(''))
const markdownToken = fc.constantFrom(
  '[',
  '](',
  ')',
  '![',
  '**',
  '`',
  '\n\n',
  '# ',
  '- ',
  '> ',
  '|',
  '<',
)
const markdown = fc.array(fc.oneof(token, markdownToken), { maxLength: 60 }).map((t) => t.join(''))
const value = fc.array(token, { maxLength: 6 }).map((tokens) => tokens.join(''))

const frame: CampaignFrame = {
  kind: 'campaign',
  newsletter: {
    name: 'News',
    locale: 'en',
    logoUrl: 'https://sluice.test/logo.png',
    footer: 'Made by *us*',
    postalAddress: '1 Street',
  },
  archiveUrl: 'https://sluice.test/archive/news/first',
  tracking: { opens: true, clicks: true },
}
const links = {
  unsubscribe: 'https://sluice.test/u/T',
  preferences: 'https://sluice.test/preferences/T',
  openPixel: 'https://sluice.test/o/T.gif',
  clickBase: 'https://sluice.test/c/T',
}

/** Elements of the template around the body that are not in the allow-list. */
const pageTags: ReadonlySet<string> = new Set(['html', 'head', 'body', 'meta', 'title'])
const metaNames: ReadonlySet<string> = new Set([
  'viewport',
  'color-scheme',
  'supported-color-schemes',
  'format-detection',
])
const ownAttributes: ReadonlySet<string> = new Set(['tabindex', 'cellspacing', 'cellpadding'])
const addressAttributes: ReadonlySet<string> = new Set(['href', 'src', 'background', 'cite'])
const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:', 'sms:'])
const image = /^\s*data:image\/(?:png|gif|jpeg|webp);base64,/i
const outlookTag = /^[ovw]:[a-z0-9]+$/
const dangerousCss = /expression\s*\(|javascript:|vbscript:|behaviou?r\s*:|@import|-moz-binding/i

function findings(html: string): string[] {
  const found: string[] = []
  visit(load(html).root()[0]!, found, false)
  return found
}

/** `isOutlook`: within a conditional comment, where Office elements may stand. */
function visit(node: AnyNode, found: string[], isOutlook: boolean): void {
  if (isTag(node)) visitElement(node, found, isOutlook)
  if (isComment(node)) visitComment(node.data, found)
  if ('children' in node) for (const child of node.children) visit(child, found, isOutlook)
}

function visitElement({ name, attribs, children }: Element, found: string[], isOutlook: boolean) {
  const isKnown = mailTags.has(name) || pageTags.has(name) || (isOutlook && outlookTag.test(name))
  if (!isKnown) found.push(`<${name}>`)
  if (name === 'meta' && attribs['charset'] === undefined && !metaNames.has(attribs['name']!)) {
    found.push('<meta>')
  }
  for (const [attribute, written] of Object.entries(attribs)) {
    const isAllowed = mailAttributes['*']!.includes(attribute) || ownAttributes.has(attribute)
    const isOfTag = mailAttributes[name]?.includes(attribute) || pageTags.has(name)
    if (/^on/i.test(attribute) || !(isAllowed || isOfTag || isOutlook)) {
      found.push(`<${name} ${attribute}>`)
    }
    if (addressAttributes.has(attribute) && !isSafeAddress(name, written)) {
      found.push(`<${name} ${attribute}=${JSON.stringify(written)}>`)
    }
    if (attribute === 'style' && dangerousCss.test(written)) found.push(`style: ${written}`)
  }
  if (name !== 'style') return
  for (const child of children) {
    if (isText(child) && dangerousCss.test(child.data)) found.push(`sheet: ${child.data}`)
  }
}

/** Conditional comments, which Outlook reads. Other comments must not be sent. */
function visitComment(comment: string, found: string[]): void {
  const inside = /^\[if [^\]<>]+\]>([\s\S]*?)(?:<!\[endif\]|<!)$/.exec(comment)?.[1]
  if (inside !== undefined) visit(load(inside).root()[0]!, found, true)
  else if (comment !== '<![endif]') found.push(`comment: ${comment}`)
}

function isSafeAddress(tag: string, address: string): boolean {
  if (tag === 'img' && image.test(address)) return true
  const isAbsolute = URL.canParse(address)
  return !isAbsolute || protocols.has(new URL(address).protocol)
}

const sources: readonly (readonly [name: string, fc.Arbitrary<Partial<EmailSource>>])[] = [
  ['HTML', documents.map((html) => ({ html }))],
  ['a whole document', documents.map((html) => ({ html: `<!doctype html><body>${html}` }))],
  ['Markdown', markdown.map((text) => ({ markdown: text }))],
  [
    'a conditional comment',
    documents.map((html) => ({ html: `<!--[if mso]>${html}<![endif]--><p>x</p>` })),
  ],
]

describe.each(sources)('hostile %s', (_name, source) => {
  test('becomes nothing that runs or loads, in the email and in the archive', () => {
    fc.assert(
      fc.property(source, value, value, (written, name, x) => {
        const email = { subject: 'Hi {{name}}', previewText: '{{attr.x}}', ...written }
        const contact = { name, attribs: { x }, links }
        const campaign = fillEmail(composeEmail(email, frame).email, contact).html
        expect(findings(campaign)).toEqual([])
        expect(campaign.endsWith('</body>\n</html>\n')).toBe(true)
        const send = fillEmail(composeEmail(email, { kind: 'send' }).email, contact).html
        expect(findings(send)).toEqual([])
        const { body, css } = composeArticle(email)
        expect(findings(`<style>${css}</style>${body}`)).toEqual([])
        expect(body).not.toContain('<!--')
      }),
      { seed: 20261122, numRuns: 200 },
    )
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['ends at once',                 '<!--[if mso]>--><video src="https://x.test"></video><![endif]-->'],
  ['ends as browsers allow it',    '<!--[if mso]>--!><a href="java&#115;cript:alert(1)">x</a><![endif]-->'],
  ['holds a script in an address', '<!--[if mso]><a href="java&#115;cript:alert(1)">x</a><![endif]-->'],
  ['holds an event attribute',     '<!--[if mso]><p/onclick=alert(1)>x</p><![endif]-->'],
  ['holds an unknown element',     '<!--[if mso]><marquee>x</marquee><![endif]-->'],
])('a conditional comment that %s is dropped', (_name, comment) => {
  const html = `<p>before</p>${comment}<p>after</p>`
  const filled = fillEmail(composeEmail({ subject: 's', html }, { kind: 'send' }).email, {}).html
  expect(filled).toMatch(/before<\/p><p[^>]*>after/)
})

test('an Outlook comment keeps its Office elements and its links', () => {
  const comment =
    '<!--[if mso]><v:rect href="https://a.test/{{attr.x}}"><w:anchorlock/></v:rect><![endif]-->'
  const { email } = composeEmail({ subject: 's', html: `${comment}<p>x</p>` }, { kind: 'send' })
  const { html } = fillEmail(email, { attribs: { x: 'a"b/c' } })
  expect(html).toContain('<v:rect href="https://a.test/a%22b%2Fc"><w:anchorlock/></v:rect>')
})
