import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeValue, SlotContext } from './escape-value.ts'

const seed = 20_261_121

// biome-ignore format: the columns are the point
test.each([
  ['html',           `<b>"Bob" & 'Al'</b>`,            '&lt;b&gt;&quot;Bob&quot; &amp; &#39;Al&#39;&lt;/b&gt;', 'markup is text'],
  ['html',           'a\u0000b\u001bc\nd',             'abc\nd',                                'control characters are removed'],
  ['attribute',      '" onload="alert(1)',             '&quot; onload=&quot;alert(1)',           'a value cannot end its attribute'],
  ['url_start',      'javascript:alert(1)',            '',                                       'a scheme that executes code'],
  ['url_start',      ' JaVaScRiPt:alert(1)',           '',                                       'such a scheme in any case, after a space'],
  ['url_start',      'java\tscript:alert(1)',          '',                                       'such a scheme with characters that browsers skip'],
  ['url_start',      'data:text/html,<script>',        '',                                       'data'],
  ['url_start',      '//evil.test/',                   '',                                       'without a scheme'],
  ['url_start',      'evil.test',                      '',                                       'a host without a scheme'],
  ['url_start',      'https:///x',                     '',                                       'no host'],
  ['url_start',      'https://a.test/?x=1&y="2"',      'https://a.test/?x=1&amp;y=%222%22',      'a URL keeps its parts'],
  ['url_start',      'https://a.test/a b/ü/%20',       'https://a.test/a%20b/%C3%BC/%20',        'encoded characters stay encoded'],
  ['url_start_text', 'https://a.test/?x=1&y=2',        'https://a.test/?x=1&y=2',                'plain text has no entities'],
  ['url_part',       'a/b?c=d&e#f@g:h',                'a%2Fb%3Fc%3Dd%26e%23f%40g%3Ah',          'delimiters are encoded'],
  ['url_part',       'half \ud800 pair',               'half%20%EF%BF%BD%20pair',                'a lone surrogate does not throw'],
  ['url_part_text',  "it's",                           "it's",                                   'quotes are kept like in browsers'],
  ['css',            'red; background: url(//x)',      'red background urlx',                    'a value cannot add declarations'],
  ['css',            '</style><script>',               'stylescript',                            'a value cannot end the style'],
  ['css',            '#ff0000',                        '#ff0000',                                'a color is allowed'],
  ['header',         'Ann\r\nBcc: x@y.test',           'Ann Bcc: x@y.test',                      'a value cannot start a header'],
  ['header',         'a\u2028b\u0085c\td',             'a b c d',                                'every line separator becomes a space'],
  ['text',           'a\u0007b <c>',                   'ab <c>',                                 'markup is kept in plain text'],
] as const)('in %s, %j becomes %j: %s', (context, value, want, _why) => {
  expect(escapeValue(value, context)).toBe(want)
})

test('no value can add markup, a line or a scheme', () => {
  const nasty = fc.array(
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '\r',
      '\n',
      '{{name}}',
      'javascript:',
      ';',
      '}',
      '\u2028',
      '\\',
      '(',
      'x',
    ),
    { maxLength: 12 },
  )
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    nasty.map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(value, fc.constantFrom(...SlotContext.options), (text, context) => {
      const escaped = escapeValue(text, context)
      switch (context) {
        case 'html':
        case 'attribute':
          return !/[<>"']/.test(escaped)
        case 'url_start':
          return escaped === '' || /^https?:\/\/[^<>"'\s]+$/i.test(escaped)
        case 'url_part':
          return !/[<>"'\s:/?#@]/.test(escaped.replaceAll('&#39;', ''))
        case 'css':
          return !/[;:{}()<>"'\\/@&\r\n]/.test(escaped)
        case 'header':
          return !/[\r\n\u2028\u2029]/.test(escaped)
        default:
          return !escaped.includes('\0')
      }
    }),
    { seed, numRuns: 1_000 },
  )
})
