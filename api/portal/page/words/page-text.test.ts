import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SecretBox } from '#platform/secret-box.ts'
import { isFormStamp, makeFormStamp } from '../form-stamp.ts'
import { html } from '../html.ts'
import { plainExcerpt, renderMarkdown } from '../markdown.ts'
import { textOn, themeCss } from '../theme.ts'
import { languageOf } from './words.ts'

const seed = 17

describe('markup', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['text',            html`<p>${'<b>&"\''}</p>`.markup,             '<p>&lt;b&gt;&amp;&quot;&#39;</p>'],
    ['markup',          html`<p>${html`<b>`}</p>`.markup,             '<p><b></p>'],
    ['lists',           html`${[1, 'a<', html`<i>`]}`.markup,         '1a&lt;<i>'],
    ['what is not there', html`-${null}${undefined}${false}-`.markup, '--'],
  ])('of %s', (_name, got, want) => {
    expect(got).toBe(want)
  })

  test('no text can leave an element or an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { markup } = html`<a href="${text}">${text}</a>`
        const inner = markup.slice('<a href="'.length, -'</a>'.length)
        expect(inner.replace('">', '')).not.toMatch(/[<>"]/)
      }),
      { seed },
    )
  })
})

describe('texts of visitors', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['emphasis',            '**a** *b*',                    /<strong>a<\/strong> <em>b<\/em>/],
    ['a line break',        'a\nb',                         /a<br>\s*b/],
    ['a list',              '- a\n- b',                     /<ul dir="auto">\s*<li/],
    ['code',                '`<b>`',                        /<code>&lt;b&gt;<\/code>/],
    ['a bare address',      'see https://a.test/x',         /<a href="https:\/\/a.test\/x" rel="nofollow ugc noopener">/],
    ['markup',              '<script>alert(1)</script>',    /^<p dir="auto">&lt;script&gt;/],
    ['a picture',           '![x](https://evil.test/x.png)', /^(?!.*<img)/s],
    ['a script in a link',  '[x](javascript:alert(1))',     /^(?!.*href)/s],
    ['data in a link',      '[x](data:text/html,x)',        /^(?!.*href)/s],
    ['a heading',           '# loud',                       /^<p dir="auto"># loud<\/p>/],
    ['a table',             'a|b\n-|-\n1|2',                /^(?!.*<table)/s],
  ])('%s', (_name, text, want) => {
    expect(renderMarkdown(text).markup).toMatch(want)
  })

  test('any text renders only to allowed elements', () => {
    const allowed =
      /<\/?(?:p|br|ul|ol|li|blockquote|pre|code|strong|em|s|a|hr)(?: [a-z]+="[^"<>]*")*>/g
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'<>"&[]()!*_`#-\n :/ajx') }), (text) => {
        expect(renderMarkdown(text).markup.replace(allowed, '')).not.toMatch(/[<>]/)
      }),
      { seed, numRuns: 500 },
    )
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['marks go',                '**Bold** and `code` and [a link](https://x.test/a_b)', 100, 'Bold and code and a link'],
    ['the first paragraph',     `${'word '.repeat(10)}\n\n- a\n- b`,                    100, 'word '.repeat(10).trim()],
    ['more when it is short',   'Hi.\n\n- a\n- b',                                      100, 'Hi. a b'],
    ['cut between words',       'one two three four',                                   10,  'one two…'],
    ['cut within a long word',  'x'.repeat(20),                                         10,  `${'x'.repeat(10)}…`],
  ])('an excerpt: %s', (_name, text, max, want) => {
    expect(plainExcerpt(text, max)).toBe(want)
  })
})

describe('themes', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['#ffffff', '#000000'], ['#000000', '#ffffff'], ['#3056d3', '#ffffff'],
    ['#facc15', '#000000'], ['#16a34a', '#000000'], ['#b3372f', '#ffffff'],
  ])('text on %s is %s', (color, want) => {
    expect(textOn(color)).toBe(want)
  })

  test('only colours and slugs get into the stylesheet', () => {
    const tags = [
      { slug: 'good', name: 'Good', color: '#00ff00', idea_count: 1 },
      { slug: 'x{}', name: 'Bad', color: '#00ff00', idea_count: 1 },
      { slug: 'y', name: 'Bad', color: 'red}', idea_count: 1 },
    ]
    expect(themeCss(undefined, tags)).toBe('.tag-good { --tag: #00ff00; }\n')
  })
})

describe('stamps of forms', () => {
  const box = new SecretBox('a secret of the tests, of enough characters')
  const madeMs = 1_763_715_600_000
  const stamp = makeFormStamp(box, 'k', madeMs)

  // biome-ignore format: the columns are the point
  test.each([
    ['after a second',      stamp,                 'k', 1_000,          false],
    ['after two',           stamp,                 'k', 2_000,          true],
    ['after a day',         stamp,                 'k', 86_400_000,     true],
    ['after more',          stamp,                 'k', 86_400_001,     false],
    ['from the future',     stamp,                 'k', -1,             false],
    ['of another portal',   stamp,                 'l', 5_000,          false],
    ['of another time',     `a${stamp}`,           'k', 5_000,          false],
    ['without a signature', stamp.split('.')[0]!,  'k', 5_000,          false],
    ['none',                '',                    'k', 5_000,          false],
  ])('%s', (_name, text, projectKey, laterMs, want) => {
    expect(isFormStamp(box, { stamp: text, projectKey, nowMs: madeMs + laterMs })).toBe(want)
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['en-GB', 'en-GB', 'ltr', 'All'], ['de', 'de', 'ltr', 'Alle'], ['ar-EG', 'ar-EG', 'rtl', 'الكل'],
  ['he', 'he', 'rtl', 'All'], [undefined, 'en', 'ltr', 'All'], ['not a locale!', 'en', 'ltr', 'All'],
])('the language of %s', (wanted, locale, direction, all) => {
  const language = languageOf(wanted)
  expect([language.locale, language.direction, language.words.all]).toEqual([locale, direction, all])
})

test.each(['en', 'de', 'ar'])('%s counts every number', (locale) => {
  const { words } = languageOf(locale)
  for (const count of [0, 1, 2, 3, 11, 100, 1_000_000]) {
    for (const text of [words.found(count), words.votes(count), words.comments(count)]) {
      expect(text.trim().length).toBeGreaterThan(2)
    }
  }
})
