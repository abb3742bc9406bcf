/**
 * Makes a link that opens the mailbox with the confirmation email, for providers that are known by
 * the domain of the address. No lookup is made, because it could delay or fail a signup.
 */

interface Email {
  /** Address of the newsletter, percent-encoded. */
  readonly sender: string
  readonly recipient: string
}

type LinkOf = (email: Email) => string

const google: LinkOf = ({ sender, recipient }) =>
  `https://mail.google.com/mail/u/${recipient}/#search/${encodeURIComponent('from:(')}${sender}${encodeURIComponent(') in:anywhere newer_than:1h')}`
const microsoft: LinkOf = ({ recipient }) =>
  `https://outlook.live.com/mail/?login_hint=${recipient}`
const yahoo: LinkOf = ({ sender }) => `https://mail.yahoo.com/d/search/keyword=from:${sender}`
const aol: LinkOf = ({ sender }) => `https://mail.aol.com/d/search/keyword=from:${sender}`
const proton: LinkOf = ({ sender }) => `https://mail.proton.me/u/0/all-mail#from=${sender}`
const mailRu: LinkOf = ({ sender }) => `https://e.mail.ru/search/?q_from=${sender}`
const page =
  (url: string): LinkOf =>
  () =>
    url

const icloud = page('https://www.icloud.com/mail')
const gmx = page('https://www.gmx.net/')
const gmxCom = page('https://www.gmx.com/')
const yandex = page('https://mail.yandex.com/')
const tuta = page('https://app.tuta.com/')

const byDomain = new Map<string, LinkOf>([
  ...entries(google, ['gmail.com', 'googlemail.com']),
  ...entries(microsoft, ['outlook.com', 'msn.com']),
  ...entries(yahoo, ['ymail.com', 'rocketmail.com']),
  ...entries(aol, ['aol.com']),
  ...entries(icloud, ['icloud.com', 'me.com', 'mac.com']),
  ...entries(proton, ['proton.me', 'protonmail.com', 'pm.me']),
  ...entries(page('https://app.hey.com/topics/everything'), ['hey.com']),
  ...entries(mailRu, ['mail.ru', 'inbox.ru', 'list.ru', 'bk.ru', 'internet.ru']),
  ...entries(page('https://app.fastmail.com/mail/Inbox/'), ['fastmail.com', 'fastmail.fm']),
  ...entries(page('https://mail.zoho.com/zm/'), ['zoho.com', 'zohomail.com']),
  ...entries(gmx, ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch']),
  ...entries(gmxCom, ['gmx.com', 'gmx.us', 'gmx.co.uk']),
  ...entries(page('https://web.de/'), ['web.de']),
  ...entries(tuta, ['tuta.com', 'tuta.io', 'tutanota.com', 'tutanota.de', 'tutamail.com']),
])

/** Providers that own this name under the top-level domains of many countries. */
const byName = new Map<string, LinkOf>([
  ['hotmail', microsoft],
  ['live', microsoft],
  ['yahoo', yahoo],
  ['yandex', yandex],
])
/** The ends of `hotmail.fr`, `yahoo.co.uk` and `live.com.au`. */
const countryEnd = /^(?:com|[a-z]{2}|com?\.[a-z]{2})$/

export function inboxLink(email: {
  readonly domain: string
  readonly email: string
  readonly sender: string
}): string | undefined {
  const { domain } = email
  const dot = domain.indexOf('.')
  const named = countryEnd.test(domain.slice(dot + 1))
    ? byName.get(domain.slice(0, dot))
    : undefined
  const linkOf = byDomain.get(domain) ?? named
  return linkOf?.({
    sender: encodeURIComponent(email.sender),
    recipient: encodeURIComponent(email.email),
  })
}

function entries(linkOf: LinkOf, domains: readonly string[]): [string, LinkOf][] {
  return domains.map((domain) => [domain, linkOf])
}
