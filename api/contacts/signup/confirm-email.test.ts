import { expect, test } from 'vitest'
import type { StoredNewsletter } from '../../newsletters/newsletter-store.ts'
import { confirmEmail } from './confirm-email.ts'

const newsletter: StoredNewsletter = {
  id: 'n',
  organizationId: 'o',
  slug: 'news',
  name: 'News',
  locale: 'en',
  fromAddress: 'news@acme.test',
  fromName: null,
  replyTo: 'help@acme.test',
  confirmSignups: true,
  archiveEnabled: true,
  postalAddress: null,
  logoUrl: null,
  footer: null,
  confirmRedirectUrl: null,
  welcomeEnabled: false,
  welcomeSubject: null,
  welcomeMarkdown: null,
  archivePath: 'news',
  description: null,
  archiveNoindex: false,
  trackOpens: false,
  trackClicks: false,
}
const link = 'https://acme.test/confirm/x'
const emailOf = (changed: Partial<StoredNewsletter>) =>
  confirmEmail({
    newsletter: { ...newsletter, ...changed },
    address: { id: 'a', email: 'ada@example.com' },
    link,
    askedAt: new Date('2026-11-21T01:30:59.000Z'),
  })

// biome-ignore format: the columns are the point
test.each([
  ['en', 'Please confirm your subscription to News', 'en'],
  ['de-AT', 'Bitte bestätige dein Abonnement von News', 'de'],
  ['FR', 'Veuillez confirmer votre inscription à News', 'fr'],
  ['es', 'Confirma tu suscripción a News', 'es'],
  ['tlh', 'Please confirm your subscription to News', 'en'],
  ['constructor', 'Please confirm your subscription to News', 'en'],
] as const)('the email is in the language of the newsletter: %s', (locale, subject, lang) => {
  const email = emailOf({ locale })
  expect(email.subject).toBe(subject)
  expect(email.html).toContain(`<html lang="${lang}">`)
  for (const part of [email.text, email.html]) {
    expect(part).toContain(link)
    expect(part).toContain('2026-11-21 01:30 UTC')
    expect(part).toContain('ada@example.com')
    expect(part).not.toMatch(/[{}]/)
  }
})

test('a newsletter name cannot inject headers, markup or placeholders', () => {
  const email = emailOf({ name: 'A\r\nBcc: eve@example.com <b>{email}$&' })
  expect(email.subject).toBe(
    'Please confirm your subscription to A Bcc: eve@example.com <b>{email}$&',
  )
  expect(email.html).toContain('&lt;b&gt;{email}$&amp;')
  expect(email.html).not.toContain('<b>')
})
