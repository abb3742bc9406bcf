import { describe, expect, test } from 'vitest'
import { BrandingChange } from '../../../../../../schemas/rest/portal/portal-config.ts'
import { brandingOf, draftOf, isSameBranding, shownBranding } from './branding-draft.ts'

const empty = draftOf(null)

test('a portal without branding has empty fields, and saving them changes nothing', () => {
  expect(empty).toMatchObject({ title: '', primary_color: '', locale: 'en', theme: 'auto' })
  expect(BrandingChange.parse(brandingOf(empty))).toMatchObject({ title: null, links: [] })
})

test('what is saved fills the fields, and the fields save the same', () => {
  const saved = brandingOf({ ...empty, title: 'Acme', primary_color: '#3355ff', locale: 'de' })
  expect(brandingOf(draftOf(saved))).toEqual(saved)
})

test('spaces around a text are no change', () => {
  expect(isSameBranding({ ...empty, title: ' Acme ' }, { ...empty, title: 'Acme' })).toBe(true)
  expect(isSameBranding({ ...empty, title: 'Acme' }, empty)).toBe(false)
})

describe('the preview while typing', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['a color',           { primary_color: '#12' },             'primary_color'],
    ['a color word',      { accent_color: 'red' },              'accent_color'],
    ['an address',        { logo_url: 'https:/' },              'logo_url'],
    ['another scheme',    { favicon_url: 'javascript:1' },      'favicon_url'],
    ['a password in it',  { logo_url: 'https://a:b@acme.test' }, 'logo_url'],
    ['a language',        { locale: 'e' },                      'locale'],
  ] as const)('leaves out %s that is not complete', (_, typed, field) => {
    const shown = shownBranding({ ...empty, title: 'Acme', ...typed })
    expect(shown).not.toHaveProperty(field)
    expect(shown.title).toBe('Acme')
    expect(BrandingChange.safeParse(shown).success).toBe(true)
  })

  test('shows complete links only', () => {
    const links = [
      { label: 'Acme', url: 'https://acme.test' },
      { label: 'Half', url: 'https:' },
      { label: '', url: '' },
    ]
    expect(shownBranding({ ...empty, links }).links).toEqual(links.slice(0, 1))
  })
})
