import { expect, test } from 'vitest'
import { inboxLink } from './inbox-link.ts'

const sender = 'news+a@acme.test'

// biome-ignore format: the columns are the point
test.each([
  ['gmail.com', 'https://mail.google.com/mail/u/ada%2Bx%40gmail.com/#search/from%3A(news%2Ba%40acme.test)%20in%3Aanywhere%20newer_than%3A1h'],
  ['outlook.com', 'https://outlook.live.com/mail/?login_hint=ada%2Bx%40outlook.com'],
  ['hotmail.fr', 'https://outlook.live.com/mail/?login_hint=ada%2Bx%40hotmail.fr'],
  ['live.com.au', 'https://outlook.live.com/mail/?login_hint=ada%2Bx%40live.com.au'],
  ['yahoo.com', 'https://mail.yahoo.com/d/search/keyword=from:news%2Ba%40acme.test'],
  ['yahoo.co.uk', 'https://mail.yahoo.com/d/search/keyword=from:news%2Ba%40acme.test'],
  ['aol.com', 'https://mail.aol.com/d/search/keyword=from:news%2Ba%40acme.test'],
  ['me.com', 'https://www.icloud.com/mail'],
  ['pm.me', 'https://mail.proton.me/u/0/all-mail#from=news%2Ba%40acme.test'],
  ['hey.com', 'https://app.hey.com/topics/everything'],
  ['bk.ru', 'https://e.mail.ru/search/?q_from=news%2Ba%40acme.test'],
  ['yandex.ru', 'https://mail.yandex.com/'],
  ['gmx.de', 'https://www.gmx.net/'],
  ['web.de', 'https://web.de/'],
  ['tuta.com', 'https://app.tuta.com/'],
  ['acme.test', undefined],
  ['mail.gmail.com', undefined],
  ['yahoo.evil.test', undefined],
  ['notyahoo.com', undefined],
  ['live.example.com', undefined],
  ['constructor', undefined],
] as const)('%s', (domain, link) => {
  expect(inboxLink({ domain, email: `ada+x@${domain}`, sender })).toBe(link)
})
