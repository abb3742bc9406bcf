/** What the checks before sending want to know of a composed email. All of it costs time with the size of the text, so a thread does it. */
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import type { CampaignFrame } from './campaign-frame.ts'
import { type ComposedEmail, composeEmail, type EmailSource } from './compose-email.ts'
import { canInline, inlineCss } from './css/inline-css.ts'
import { hiddenBy, type OpenElement, walkHtml } from './html/find-hidden.ts'
import { foreignTags } from './html/foreign-tags.ts'
import { sourceAddresses } from './html/source-addresses.ts'

export interface InspectedEmail {
  readonly composed: ComposedEmail
  /** The email as a subscriber without any value would get it. */
  readonly emptyHtml: string
  readonly emptyText: string
  /** Addresses of the author's links, as written. */
  readonly addresses: readonly string[]
  /** Merge tags of other products, each once. */
  readonly foreignTags: readonly string[]
  /** What of the footer cannot be seen, and why. */
  readonly hidden: readonly HiddenPart[]
}

export interface HiddenPart {
  readonly part: 'unsubscribe' | 'postal'
  readonly by: string
}

/** With the path of a real one, because selectors may look at it. */
const unsubscribeMark = 'https://footer-link.invalid/u/token'
const blocksMax = 20

export function inspectEmail(source: EmailSource, frame: CampaignFrame): InspectedEmail {
  const composed = composeEmail(source, frame)
  const links = { unsubscribe: '', preferences: '', openPixel: '', clickBase: '' }
  const empty = fillEmail(composed.email, { links })
  const marked = fillEmail(composed.email, { links: { ...links, unsubscribe: unsubscribeMark } })
  const { html = null, markdown = null } = source
  return {
    composed,
    emptyHtml: empty.html,
    emptyText: empty.text,
    addresses: sourceAddresses({ html, markdown }),
    foreignTags: foreignTags([source.subject, source.previewText ?? '', html ?? markdown ?? '']),
    hidden: hiddenParts(marked.html, frame.newsletter.postalAddress ?? ''),
  }
}

function hiddenParts(html: string, postalAddress: string): HiddenPart[] {
  const hidden = new Map<HiddenPart['part'], string>()
  const postal = escapeHtml(postalAddress.trim().split(/\r?\n/, 1)[0]!)
  for (const variant of variantsOf(html)) {
    const found = { unsubscribe: new Places(), postal: new Places() }
    walkHtml(variant, (piece, open) => {
      const last = open.at(-1)
      if (piece.kind === 'tag' && last?.attributes.get('href') === unsubscribeMark) {
        found.unsubscribe.add(open)
      }
      if (piece.kind === 'text' && postal !== '' && piece.html.includes(postal)) {
        found.postal.add(open)
      }
    })
    for (const part of ['unsubscribe', 'postal'] as const) {
      const by = found[part].allHiddenBy
      if (by !== undefined && !hidden.has(part)) hidden.set(part, by)
    }
  }
  return [...hidden].map(([part, by]) => ({ part, by }))
}

/** One visible place is enough. */
class Places {
  #isSeen = false
  #by: string | undefined

  add(open: readonly OpenElement[]): void {
    const by = hiddenBy(open)
    if (by === undefined) this.#isSeen = true
    else this.#by ??= by
  }

  get allHiddenBy(): string | undefined {
    return this.#isSeen ? undefined : this.#by
  }
}

/**
 * The email as it is, and with each conditional block of its head in force: what a media query hides is hidden from those whose
 * client matches it. Where inlining would take too long, the footer is looked at alone.
 */
function variantsOf(html: string): string[] {
  const open = '<style>'
  const start = html.indexOf(open) + open.length
  const end = html.indexOf('</style>', start)
  if (start < open.length || end < 0) return [html]
  const [before, css, after] = [html.slice(0, start), html.slice(start, end), html.slice(end)]
  const isSmall = canInline(html, css)
  const rest = isSmall ? after : footerAlone(after)
  const { plain, blocks } = splitBlocks(css)
  const always = plain.replace(/:(?:any-link|-webkit-any-link|link)\b/g, '')
  return [
    html,
    ...[always, ...blocks.slice(0, blocksMax)].map((sheet) => inlineCss(before + sheet + rest)),
  ]
}

function footerAlone(after: string): string {
  const footer = after.lastIndexOf('<div class="sluice-footer"')
  const end = after.indexOf('<body')
  if (footer < 0 || end < 0) return after
  const bodyTag = after.slice(end, after.indexOf('>', end) + 1)
  return `</style></head>${bodyTag}<table><tr><td><div>${after.slice(footer)}`
}

const onPaperOnly = /^@media\s+(?:only\s+)?(?:print|speech)\b/i

/** Rules outside of `@media`, `@supports` and the like, and the rules within each of these, at any depth. */
function splitBlocks(css: string): { plain: string; blocks: string[] } {
  let plain = ''
  const blocks: string[] = []
  let from = 0
  let level = 0
  let blockStart = -1
  for (let index = 0; index < css.length; index += 1) {
    const character = css[index]
    if (character === '{') {
      level += 1
      if (level === 1 && css.slice(from, index).trim().startsWith('@')) blockStart = index + 1
    } else if (character === '}') {
      level = Math.max(0, level - 1)
      if (level > 0) continue
      const whole = css.slice(from, index + 1)
      if (blockStart < 0) plain += whole
      else if (!onPaperOnly.test(whole.trim())) {
        const inner = splitBlocks(css.slice(blockStart, index))
        blocks.push(inner.plain + inner.blocks.join(''))
      }
      blockStart = -1
      from = index + 1
    }
  }
  return { plain, blocks }
}
