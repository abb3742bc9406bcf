/** Makes the last part of an archive address from a subject: a-z, 0-9 and single hyphens. */
import { archiveSlugCharactersMax, reservedSlugs } from '#schemas/rest/email/campaign.ts'

// biome-ignore format: alphabets read best in rows.
const latinOf: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', ø: 'o', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h', '&': ' and ',
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r',
  с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  і: 'i', є: 'ie', ґ: 'g',
  α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x', ο: 'o', π: 'p',
  ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
}

/** Leaves room for the number that distinguishes campaigns with one subject. */
const baseCharactersMax = archiveSlugCharactersMax - 6

export function slugOfSubject(subject: string): string {
  const plain = subject
    .replace(/\{\{[^{}]*\}\}/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
  const latin = [...plain].map((character) => latinOf[character] ?? character).join('')
  const words = latin.replace(/['’]/g, '').match(/[a-z0-9]+/g) ?? []
  const slug = words
    .join('-')
    .slice(0, baseCharactersMax)
    .replace(/(?<!-)-+$/, '')
  if (slug === '') return 'issue'
  return reservedSlugs.has(slug) ? `${slug}-issue` : slug
}

/** The base itself, else the first of `-2`, `-3` and so on that is free. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base
  let no = 2
  while (taken.has(`${base}-${no}`)) no += 1
  return `${base}-${no}`
}
