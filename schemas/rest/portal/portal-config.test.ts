import { expect, test } from 'vitest'
import { Branding, BrandingChange, PortalConfig, portalConfigOf } from './portal-config.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a color by name',            { primary_color: 'red' }],
  ['a short color',              { accent_color: '#abc' }],
  ['a logo over http',            { logo_url: 'http://x.test/a.png' }],
  ['a script as logo',            { logo_url: 'javascript:alert(1)' }],
  ['a logo with a password',      { logo_url: 'https://a:b@x.test/' }],
  ['a link that is a script',     { links: [{ label: 'x', url: 'javascript:alert(1)' }] }],
  ['a style that loads a style',  { custom_css: '@import "https://x.test"' }],
  ['a style that loads a picture',{ custom_css: 'a { background: URL (//x.test) }' }],
  ['a style with an escaped url',   { custom_css: 'a { background: u\\72l(//x.test) }' }],
  ['a style that ends itself',    { custom_css: '</style><script>' }],
  ['a style without end',         { custom_css: 'x'.repeat(20_001) }],
  ['an unknown theme',        { theme: 'neon' }],
  ['an invalid language',     { locale: 'English!' }],
  ['an unknown field',        { color: '#112233' }],
] as const)('%s is rejected', (_name, change) => {
  expect(BrandingChange.safeParse(change).success).toBe(false)
})

test('fields that are not set have defaults, and the config contains the settings that a page needs', () => {
  const branding = Branding.parse({ primary_color: '#AABBCC' })
  expect([branding.primary_color, branding.theme, branding.links]).toEqual(['#aabbcc', 'auto', []])
  const settings = { branding, enduserAuth: true, moderation: 'ideas' } as const
  const config = portalConfigOf(settings)
  expect(PortalConfig.parse(config)).toEqual(config)
  expect([config?.require_token, config?.moderation]).toEqual([true, 'ideas'])
  expect(portalConfigOf({ ...settings, branding: null })).toBeUndefined()
})
