/**
 * The stylesheet of the branding; the content security policy of the page allows no inline style.
 * Colours were validated when they were saved. Text on them is black or white, by contrast.
 */
import type { PortalConfig } from '#schemas/rest/portal/portal-config.ts'
import type { ShownTag } from './portal-replies.ts'

const colorPattern = /^#[0-9a-f]{6}$/i
const slugPattern = /^[a-z0-9-]{1,50}$/

export function themeCss(config: PortalConfig | undefined, tags: readonly ShownTag[]): string {
  const lines: string[] = []
  const primary = config?.primary_color ?? undefined
  if (primary !== undefined && colorPattern.test(primary)) {
    lines.push(`:root { --brand: ${primary}; --on-brand: ${textOn(primary)}; }`)
  }
  const accent = config?.accent_color ?? undefined
  if (accent !== undefined && colorPattern.test(accent))
    lines.push(`:root { --accent: ${accent}; }`)
  for (const { slug, color } of tags) {
    if (slugPattern.test(slug) && colorPattern.test(color)) {
      lines.push(`.tag-${slug} { --tag: ${color}; }`)
    }
  }
  if (config?.custom_css) lines.push(config.custom_css)
  return `${lines.join('\n')}\n`
}

/** The colour with the higher contrast (WCAG 2). */
export function textOn(color: string): '#000000' | '#ffffff' {
  const light = luminance(color)
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? '#000000' : '#ffffff'
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.212_6 * red + 0.715_2 * green + 0.072_2 * blue
}
