import { expect, test } from 'vitest'
import { TagSlug } from '../../../../../schemas/rest/portal/tag-of-idea.ts'
import { slugOf } from './slug-of.ts'

test.each([
  ['Mobile app', 'mobile-app'],
  ['  Über – Größe!  ', 'uber-gro-e'],
  ['API / v2', 'api-v2'],
  ['日本語', ''],
  ['<script>', 'script'],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('%j becomes %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
  if (slug !== '') expect(TagSlug.parse(slugOf(name))).toBe(slug)
})
