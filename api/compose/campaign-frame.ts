/**
 * The parts of a campaign email around its text: the logo, why the subscriber gets it, how to
 * unsubscribe, where it can be read on the web, and with tracking the pixel and the honeypot link.
 */
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import type { CampaignFooter } from './composing-email.ts'
import type { CampaignFrame, FramingNewsletter } from './email-source.ts'
import { sanitiseHtml } from './html/sanitise-html.ts'
import type { SlotMarks } from './html/slot-marks.ts'
import { footerSlot } from './layout.ts'
import { renderMarkdown } from './render-markdown.ts'
import { textPartOf } from './text-part.ts'
import { honeypotLinkIndex } from './track-links.ts'

export type { CampaignFrame, FramingNewsletter } from './email-source.ts'

interface Labels {
  readonly reason: string
  readonly unsubscribe: string
  readonly preferences: string
  readonly onTheWeb: string
}

const labelsByLanguage: Readonly<Record<string, Labels>> = {
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

export function composeFooter(frame: CampaignFrame, marks: SlotMarks): CampaignFooter {
  const { newsletter, archiveUrl, tracking } = frame
  const labels = labelsOf(newsletter.locale)
  const reason = labels.reason.replace('{name}', () => newsletter.name)
  const postal = newsletter.postalAddress?.trim() ?? ''
  const own = sanitiseHtml(renderMarkdown(marks.protect(newsletter.footer ?? '')), 'mail').tree
  const unsubscribe = () => marks.mark({ link: 'unsubscribe' })
  const preferences = () => marks.mark({ link: 'preferences' })
  const links = [
    anchor(unsubscribe(), labels.unsubscribe),
    anchor(preferences(), labels.preferences),
    ...(archiveUrl === undefined ? [] : [anchor(escapeHtml(archiveUrl), labels.onTheWeb)]),
  ]

  return {
    above: logo(newsletter),
    own,
    below: [
      '<div class="sluice-footer">',
      footerSlot,
      `<p>${escapeHtml(reason)}</p>`,
      `<p>${links.join(' &middot; ')}</p>`,
      postal === '' ? '' : `<p>${escapeHtml(postal).replace(/\r?\n/g, '<br>')}</p>`,
      '</div>',
      tracking.clicks ? honeypot(marks) : '',
      tracking.opens ? pixel(marks) : '',
    ].join('\n'),
    text: [
      '-- ',
      ...(own.children.length === 0 ? [] : [textPartOf(own.children, marks), '']),
      reason,
      `${labels.unsubscribe}: ${unsubscribe()}`,
      `${labels.preferences}: ${preferences()}`,
      ...(archiveUrl === undefined ? [] : [`${labels.onTheWeb}: ${archiveUrl}`]),
      ...(postal === '' ? [] : ['', postal]),
    ].join('\n'),
  }
}

function labelsOf(locale: string): Labels {
  return labelsByLanguage[locale.toLowerCase().split('-', 1)[0]!] ?? labelsByLanguage['en']!
}

function logo({ logoUrl, name }: FramingNewsletter): string {
  if (logoUrl === null || !/^https?:\/\//i.test(logoUrl)) return ''
  return `<div class="sluice-logo"><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="40" style="height: 40px; border: 0"></div>\n`
}

function anchor(href: string, label: string): string {
  return `<a href="${href}">${escapeHtml(label)}</a>`
}

/** Hidden from people and from screen readers, so only machines follow it. */
function honeypot(marks: SlotMarks): string {
  const href = marks.mark({ link: 'click', index: honeypotLinkIndex })
  return `<a href="${href}" style="display:none;mso-hide:all" tabindex="-1" aria-hidden="true"></a>`
}

function pixel(marks: SlotMarks): string {
  const src = marks.mark({ link: 'open_pixel' })
  return `<img src="${src}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
}
