import { describe, expect, test } from 'vitest'
import { asScheme, previewPolicy, withLinksOutside, withoutImages } from './preview-look.ts'

describe('the color scheme of a preview', () => {
  const css = '@media (prefers-color-scheme:dark){a{}} @media ( Prefers-Color-Scheme : light ){b{}}'

  test.each([
    ['dark', '@media (min-width: 0){a{}} @media (max-width: 0){b{}}'],
    ['light', '@media (max-width: 0){a{}} @media (min-width: 0){b{}}'],
  ] as const)('%s applies its own media queries alone', (scheme, wanted) => {
    expect(asScheme(css, scheme)).toBe(wanted)
  })

  test('replaces the schemes that the email supports', () => {
    const given = '<meta name="color-scheme" content="light dark">'
    expect(asScheme(given, 'dark')).toBe('<meta name="color-scheme" content="dark">')
  })
})

test.each([
  ['block', 'img-src data:;'],
  ['load', 'img-src https: http: data:;'],
] as const)('a policy that %ss images allows no script', (images, wanted) => {
  const policy = previewPolicy(images)
  expect(policy).toContain(wanted)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/script|allow-forms|allow-top/)
})

test('images of other servers are left out, and their texts stay', () => {
  const given =
    '<img alt="A" src="https://a.test/x.png" width="2"><img src="data:image/png,x" alt="">'
  expect(withoutImages(given)).toBe('<img alt="A" width="2"><img src="data:image/png,x" alt="">')
})

test('links leave the frame, once', () => {
  expect(withLinksOutside('<html><head></head><body>&lt;head></body>')).toBe(
    '<html><head>\n<base target="_blank"></head><body>&lt;head></body>',
  )
})
