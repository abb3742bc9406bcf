/** What a campaign carries beside its text: the logo, why the reader gets it, how to leave, where it can be read on the web. */
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import { sanitiseHtml } from './html/sanitise-html.ts'
import type { SlotMarks } from './html/slot-marks.ts'
import { renderMarkdown } from './render-markdown.ts'
import { linkAddresses, textPartOf } from './text-part.ts'
import { honeypotLinkIndex } from './track-links.ts'

export interface CampaignFrame {
  readonly kind: 'campaign'
  readonly newsletter: FramingNewsletter
  /** Where the letter can be read on the web; undefined when the archive is off. */
  readonly archiveUrl: string | undefined
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
}

export interface FramingNewsletter {
  readonly name: string
  readonly locale: string
  readonly logoUrl: string | null
  /** Markdown. */
  readonly footer: string | null
  readonly postalAddress: string | null
}

export interface Surroundings {
  readonly above: string
  readonly below: string
  readonly text: string
}

interface Labels {
  readonly reason: string
  readonly unsubscribe: string
  readonly preferences: string
  readonly onTheWeb: string
}

const labels: Readonly<Record<string, Labels>> = {
  en: {
    reason: 'You get this because you subscribed to {name}.',
    unsubscribe: 'Unsubscribe',
    preferences: 'Preferences',
    onTheWeb: 'Read on the web',
  },
  de: {
    reason: 'Du bekommst dies, weil du {name} abonniert hast.',
    unsubscribe: 'Abmelden',
    preferences: 'Einstellungen',
    onTheWeb: 'Im Web lesen',
  },
  fr: {
    reason: 'Vous recevez ce message car vous êtes inscrit à {name}.',
    unsubscribe: 'Se désabonner',
    preferences: 'Préférences',
    onTheWeb: 'Lire sur le web',
  },
  es: {
    reason: 'Recibes este mensaje porque te suscribiste a {name}.',
    unsubscribe: 'Darse de baja',
    preferences: 'Preferencias',
    onTheWeb: 'Leer en la web',
  },
}

export function surround(frame: CampaignFrame, marks: SlotMarks): Surroundings {
  const { newsletter, archiveUrl } = frame
  const words = labels[newsletter.locale.toLowerCase().split('-', 1)[0]!] ?? labels['en']!
  const reason = words.reason.replace('{name}', () => newsletter.name)
  const footer =
    newsletter.footer === null
      ? ''
      : sanitiseHtml(renderMarkdown(marks.protect(newsletter.footer)), 'mail').body
  const unsubscribe = () => marks.mark({ link: 'unsubscribe' })
  const preferences = () => marks.mark({ link: 'preferences' })
  const links = [
    anchor(unsubscribe(), words.unsubscribe),
    anchor(preferences(), words.preferences),
    ...(archiveUrl === undefined ? [] : [anchor(escapeHtml(archiveUrl), words.onTheWeb)]),
  ]
  const postal = newsletter.postalAddress?.trim() ?? ''

  return {
    above: logo(newsletter),
    below: [
      '<div class="sluice-footer">',
      footer,
      `<p>${escapeHtml(reason)}</p>`,
      `<p>${links.join(' &middot; ')}</p>`,
      postal === '' ? '' : `<p>${escapeHtml(postal).replace(/\r?\n/g, '<br>')}</p>`,
      '</div>',
      frame.tracking.clicks ? honeypot(marks) : '',
      frame.tracking.opens ? pixel(marks) : '',
    ].join('\n'),
    text: [
      '-- ',
      ...(footer === '' ? [] : [textPartOf(footer, marks), '']),
      reason,
      `${words.unsubscribe}: ${unsubscribe()}`,
      `${words.preferences}: ${preferences()}`,
      ...(archiveUrl === undefined ? [] : [`${words.onTheWeb}: ${archiveUrl}`]),
      ...(postal === '' ? [] : ['', postal]),
    ].join('\n'),
  }
}

export function footerAddresses(newsletter: FramingNewsletter): string[] {
  return linkAddresses(sanitiseHtml(renderMarkdown(newsletter.footer ?? ''), 'mail').body)
}

function logo({ logoUrl, name }: FramingNewsletter): string {
  if (logoUrl === null || !/^https?:\/\//i.test(logoUrl)) return ''
  return `<div class="sluice-logo"><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="40" style="height: 40px; border: 0"></div>\n`
}

function anchor(href: string, label: string): string {
  return `<a href="${href}">${escapeHtml(label)}</a>`
}

/** No person sees it and no screen reader speaks of it, so who follows it is a machine. */
function honeypot(marks: SlotMarks): string {
  const href = marks.mark({ link: 'click', index: honeypotLinkIndex })
  return `<a href="${href}" style="display:none;mso-hide:all" tabindex="-1" aria-hidden="true"></a>`
}

function pixel(marks: SlotMarks): string {
  const src = marks.mark({ link: 'open_pixel' })
  return `<img src="${src}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
}
