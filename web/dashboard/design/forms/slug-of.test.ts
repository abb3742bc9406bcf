import { expect, test } from 'vitest'
import { NewsletterSlug } from '../../../../schemas/rest/account.ts'
import { TagSlug } from '../../../../schemas/rest/portal/tag-of-idea.ts'
import { TeamSlug } from '../../../../schemas/rest/team.ts'
import { slugOf } from './slug-of.ts'

test.each([
  ['Mobile app', 'mobile-app'],
  ['The Weekly: News!', 'the-weekly-news'],
  ['Café à la carte', 'cafe-a-la-carte'],
  ['  Über – Größe!  ', 'uber-grosse'],
  ['Łódź & Ærø', 'lodz-aero'],
  ['API / v2', 'api-v2'],
  ['  --  ', ''],
  ['日本語', ''],
  ['<script>', 'script'],
  ['a'.repeat(90), 'a'.repeat(50)],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
  [` ${'a'.repeat(50)}`, 'a'.repeat(50)],
])('%j becomes %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
  if (slug === '') return
  for (const schema of [TagSlug, TeamSlug, NewsletterSlug]) expect(schema.parse(slug)).toBe(slug)
})
