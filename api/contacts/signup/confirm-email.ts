/**
 * The confirmation email of a double opt-in: what was requested and when, one link, and that it can
 * be ignored. The recipient may not have requested it, so of the newsletter it holds only the name,
 * and nothing that was entered into the form.
 */
import { escapeHtml, headerText } from '#schemas/mail/escape-value.ts'
import type { StoredNewsletter } from '../../newsletters/newsletter-store.ts'
import type { NewSend } from '../../sends/send-store.ts'

interface Words {
  /** `{name}`: name of the newsletter. */
  readonly subject: string
  readonly request: string
  readonly act: string
  readonly button: string
  readonly ignore: string
}

const wordsOf: Readonly<Record<string, Words>> = {
  en: {
    subject: 'Please confirm your subscription to {name}',
    request: 'On {time} somebody requested the newsletter “{name}” for {email}.',
    act: 'If it was you, confirm your address within seven days:',
    button: 'Confirm my address',
    ignore: 'If it was not you, ignore this email. Nothing is sent without your confirmation.',
  },
  de: {
    subject: 'Bitte bestätige dein Abonnement von {name}',
    request: 'Jemand hat am {time} darum gebeten, dass {email} den Newsletter „{name}“ bekommt.',
    act: 'Wenn du das warst, bestätige deine Adresse innerhalb von sieben Tagen:',
    button: 'Adresse bestätigen',
    ignore: 'Wenn nicht, beachte diese Mail nicht: Ohne deine Bestätigung wird nichts verschickt.',
  },
  fr: {
    subject: 'Veuillez confirmer votre inscription à {name}',
    request: 'Le {time}, quelqu’un a demandé que {email} reçoive la lettre « {name} ».',
    act: 'Si c’était vous, confirmez votre adresse dans les sept jours :',
    button: 'Confirmer mon adresse',
    ignore: 'Sinon, ignorez ce message : sans votre confirmation, rien ne sera envoyé.',
  },
  es: {
    subject: 'Confirma tu suscripción a {name}',
    request: 'El {time} alguien pidió que {email} reciba el boletín «{name}».',
    act: 'Si fuiste tú, confirma tu dirección en los próximos siete días:',
    button: 'Confirmar mi dirección',
    ignore: 'Si no, ignora este mensaje: sin tu confirmación no se enviará nada.',
  },
}

export function confirmEmail(signup: {
  readonly newsletter: StoredNewsletter
  readonly address: { readonly id: string; readonly email: string }
  readonly link: string
  readonly askedAt: Date
}): NewSend {
  const { newsletter, address, link, askedAt } = signup
  const language = newsletter.locale.toLowerCase().split('-', 1)[0]!
  const known = Object.hasOwn(wordsOf, language) ? language : 'en'
  const words = wordsOf[known]!
  const values: Readonly<Record<string, string>> = {
    name: headerText(newsletter.name),
    email: address.email,
    time: `${askedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  }
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, key: string) => values[key]!)
  const request = fill(words.request)
  return {
    organizationId: newsletter.organizationId,
    addressId: address.id,
    kind: 'confirmation',
    newsletterId: newsletter.id,
    from: { address: newsletter.fromAddress, name: newsletter.fromName ?? newsletter.name },
    replyTo: newsletter.replyTo,
    to: { address: address.email },
    subject: fill(words.subject),
    text: `${request}\n\n${words.act}\n${link}\n\n${words.ignore}\n`,
    html: `<!doctype html>
<html lang="${known}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;font:16px/1.5 system-ui,sans-serif;color:#1d1d1b">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p style="margin:0 0 16px">${escapeHtml(request)}</p>
<p style="margin:0 0 24px">${escapeHtml(words.act)}</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(words.button)}</a></p>
<p style="margin:0;color:#5f5f5a;font-size:14px">${escapeHtml(words.ignore)}</p>
</div></body></html>
`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
